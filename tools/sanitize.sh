#!/usr/bin/env bash
# Build with sanitizers in an environment of its own (build/sanitize-KIND) and run tests on it:
#   tools/sanitize.sh address [PYTEST ARGUMENT...]     AddressSanitizer and UndefinedBehaviorSanitizer
#   tools/sanitize.sh thread [PYTEST ARGUMENT...]      ThreadSanitizer, on the tests that use threads
# LEVELS="v3;v4" builds the fast kernels of those processors too (default: the baseline alone);
# BOARDRACE_LEVEL=v3 then runs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
kind=${1:?address or thread}
shift
case $kind in
  address) flags=address,undefined; libraries="libasan.so libubsan.so" ;;
  thread) flags=thread; libraries=libtsan.so ;;
  *) echo "address or thread, not $kind" >&2; exit 2 ;;
esac
folder=build/sanitize-$kind
[ -d "$folder" ] || python3 -m venv "$folder"
"$folder/bin/pip" install -q "scikit-build-core>=1.1" "cython>=3.3,<3.4" "cython-cmake>=0.3,<0.4" \
  ninja cmake pytest pytest-benchmark "hypothesis>=6.100" setuptools
CC=gcc "$folder/bin/pip" install -q --no-build-isolation --force-reinstall --no-deps \
  "-Ccmake.define.BOARDRACE_SANITIZE=$flags" "-Ccmake.define.BOARDRACE_LEVELS=${LEVELS-}" \
  "-Cbuild-dir=$folder/cmake" .
"$folder/bin/pip" install -q "numpy>=2.0" "click>=8.1" "rich>=13.0"

# What lies outside of this project is not ours to check: the interpreter leaks on purpose at exit,
# and adaptors, notebooks and pictures need programs that no sanitizer can be loaded into.
export PYTHONMALLOC=malloc
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=0:exitcode=66:suppressions=$PWD/tools/tsan.supp
preload=
for library in $libraries; do preload+="$(gcc -print-file-name="$library") "; done
if [ "$kind" = thread ]; then
  set -- tests/test_threads.py "$@"
else
  set -- tests --ignore=tests/test_notebook.py --ignore=tests/test_outside_extension.py \
    --ignore=tests/test_sixth_game.py --ignore=tests/test_leaks.py "$@"
fi
LD_PRELOAD="$preload" exec "$folder/bin/python" -m pytest -q -p no:cacheprovider "$@"
