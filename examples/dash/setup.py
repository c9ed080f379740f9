import sysconfig

from Cython.Build import cythonize
from setuptools import Extension, setup

setup(
    package_dir={"": "src"},
    packages=["dash"],
    ext_modules=cythonize(
        [Extension("dash.core", ["src/dash/core.pyx"])],
        include_path=[sysconfig.get_path("platlib")],  # boardrace's .pxd files
        build_dir="build",
    ),
)
