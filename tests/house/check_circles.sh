#!/usr/bin/env bash
# labels: unsanitized
# Files of src/runtime call each other without circles, direct or indirect. The table of drivers names every driver, and
# drivers may open others (checking:X): those names are not calls. Arguments: source folder, quern binary, build folder.
set -u
objects=$3/CMakeFiles/quern.dir/src/runtime
command -v nm >/dev/null || { echo "nm is not installed"; exit 77; }
[ -d "$objects" ] || { echo "no objects of src/runtime in $3"; exit 1; }

calls=$(cd "$objects" && find . -name '*.o' | sed 's|^\./||' | sort | while IFS= read -r object; do
    nm "$object" | sed "s|^|${object%.o} |"
done | awk '
    $NF ~ /^qn_(host|opencl|cuda|checking)_driver$/ && $1 == "drivers.c" { next }
    $(NF - 1) == "U" { user[++count] = $1; used[count] = $NF; next }
    $(NF - 1) ~ /^[TDBRVW]$/ { definer[$NF] = $1 }
    END {
        for (i = 1; i <= count; i++)
            if ((used[i] in definer) && definer[used[i]] != user[i]) print user[i], definer[used[i]]
    }' | sort -u)
[ -n "$calls" ] || { echo "nm shows no calls between the files of src/runtime"; exit 1; }
tsort <<<"$calls" 2>&1 >/dev/null | sed -n 's|^tsort: -: input contains a loop:$|these files of src/runtime call each other in a circle:|; s|^tsort: |  |; p' |
    grep . && exit 1
exit 0
