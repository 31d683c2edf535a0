#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lint.sh format [--fix]   clang-format over all sources: says what differs, or mends it
# lint.sh tidy [--all]     clang-tidy over the changed sources of src/, or all
set -eu
cd "$(dirname "$(readlink -f "$0")")/.."

# The clone may belong to another user (a container, sudo): we only read it.
git() { command git -c safe.directory='*' "$@"; }

# The sources and headers of src/ that differ from where this branch left the main one, or on the main
# branch itself from the commit before; with no history, all of them.
changed() {
  local base
  base=$(git merge-base HEAD origin/HEAD 2>/dev/null || git merge-base HEAD origin/main 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --verify -q HEAD~1 || true)
  fi
  if [ -z "$base" ]; then
    printf '%s\n' src/*/*.cpp
  else
    git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' 'src/*.h'
    git ls-files --others --exclude-standard -- 'src/*.cpp' 'src/*.h'
  fi
}

# clang-tidy wants sources: a header is seen through its own source, else through one that includes it.
as_sources() {
  local file
  while read -r file; do
    case $file in
      *.cpp) echo "$file" ;;
      *) if [ -e "${file%.h}.cpp" ]; then echo "${file%.h}.cpp"; else
           grep -l -F "#include \"${file#src/}\"" src/*.cpp src/*/*.cpp | head -n 1
         fi ;;
    esac
  done | sort -u
}

case ${1:-}${2:-} in
  format) find src tests bench -name '*.cpp' -o -name '*.h' -o -name '*.c' | xargs clang-format --dry-run -Werror ;;
  format--fix) find src tests bench -name '*.cpp' -o -name '*.h' -o -name '*.c' | xargs clang-format -i ;;
  tidy | tidy--all)
    if [ "${2:-}" = --all ]; then files=$(ls src/*.cpp src/*/*.cpp); else files=$(changed | as_sources); fi
    echo "clang-tidy:" ${files:-nothing changed}
    # A build of its own, never built: g++'s precompiled headers are nothing to clang.
    cmake --preset dev -B build/lint -DBUILD_TESTING=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
    printf '%s' "$files" | xargs -r -d '\n' -n 1 -P "$(nproc)" clang-tidy --quiet -p build/lint
    ;;
  *) sed -n '3,4s/^# //p' "$0" >&2; exit 2 ;;
esac
