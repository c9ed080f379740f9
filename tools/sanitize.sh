#!/usr/bin/env bash
# Build with sanitizers in an environment of its own (build/sanitize-KIND) and run tests on it:
#   tools/sanitize.sh address [PYTEST ARGUMENT...]     AddressSanitizer and UndefinedBehaviorSanitizer
#   tools/sanitize.sh thread [PYTEST ARGUMENT...]      ThreadSanitizer, on the tests that use threads
#   tools/sanitize.sh valgrind                         an ordinary build, a short run under memcheck
# LEVELS="v3;v4" builds the fast kernels of those processors too (default: the baseline alone);
# BOARDRACE_LEVEL=v3 then runs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
kind=${1:?address, thread or valgrind}
shift
case $kind in
  address) flags=address,undefined; libraries="libasan.so libubsan.so"
    adaptors="gymnasium>=1.1 pettingzoo>=1.25 distributed>=2024.8" ;;
  thread) flags=thread; libraries=libtsan.so; adaptors= ;;
  valgrind) flags=; adaptors= ;;
  *) echo "address, thread or valgrind, not $kind" >&2; exit 2 ;;
esac
folder=build/sanitize-$kind
[ -d "$folder" ] || python3 -m venv "$folder"
"$folder/bin/pip" install -q "scikit-build-core>=1.1" "cython>=3.3,<3.4" "cython-cmake>=0.3,<0.4" \
  ninja cmake pytest pytest-benchmark "hypothesis>=6.100" setuptools
CC=gcc "$folder/bin/pip" install -q --no-build-isolation --force-reinstall --no-deps \
  "-Ccmake.define.BOARDRACE_SANITIZE=$flags" "-Ccmake.define.BOARDRACE_LEVELS=${LEVELS-}" \
  "-Cbuild-dir=$folder/cmake" -Cinstall.strip=false .
# shellcheck disable=SC2086
"$folder/bin/pip" install -q "numpy>=2.0" "click>=8.1" "rich>=13.0" $adaptors

if [ "$kind" = valgrind ]; then
  check() { valgrind -q --error-exitcode=1 --suppressions=tools/valgrind.supp "$@" \
    "$folder/bin/python" tools/short_run.py; }
  # Values: with the interpreter's own allocator, whose memory counts as initialised. (CPython reads
  # the first digit of a number that has none, and multiplies it by 0: without that allocator every
  # zero is reported wherever it is used.) This package's own memory does not come from there.
  check --track-origins=yes
  # Addresses: every object of the interpreter's in a block of its own.
  PYTHONMALLOC=malloc check --undef-value-errors=no
  exit
fi

# What lies outside of this project is not ours to check: the interpreter leaks on purpose at exit,
# and adaptors, notebooks and pictures need programs that no sanitizer can be loaded into.
# Reports go to files, since pytest keeps to itself what is printed during a test.
export PYTHONMALLOC=malloc
report=$PWD/$folder/report
rm -f "$report".*
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$report
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:log_path=$report
export TSAN_OPTIONS=halt_on_error=0:exitcode=66:allocator_may_return_null=1:log_path=$report
preload=
for library in $libraries; do preload+="$(gcc -print-file-name="$library") "; done
if [ "$kind" = thread ]; then
  set -- tests/test_threads.py tests/test_interrupts.py "$@"
else
  set -- tests --ignore=tests/test_notebook.py --ignore=tests/test_outside_extension.py \
    --ignore=tests/test_sixth_game.py --ignore=tests/test_leaks.py "$@"
fi
status=0
LD_PRELOAD="$preload" "$folder/bin/python" -m pytest -q -p no:cacheprovider "$@" || status=$?
# (That absurd sizes are refused is no report.)
if cat "$report".* 2>/dev/null | grep -v "Sanitizer failed to allocate"; then status=1; fi
exit "$status"
