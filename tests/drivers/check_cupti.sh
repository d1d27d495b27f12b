#!/usr/bin/env bash
# Compare our own declarations of CUPTI with NVIDIA's headers, if those are installed: every struct's size as CUPTI
# counts it, every member's offset, every value. (A header of CUPTI is C++, so this is not a C test.) Argument: source
# folder.
set -u
include=
for folder in /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include; do
    [ -f "$folder/cupti_range_profiler.h" ] && include=$folder
done
[ -n "$include" ] || { echo "no cupti_range_profiler.h"; exit 77; }
compiler=$(command -v "${CXX:-c++}") || { echo "no C++ compiler"; exit 77; }

# ours theirs, then pairs of members: ours theirs
structs='
initialize Profiler_Initialize size structSize reserved pPriv
chip_name Device_GetChipName device deviceIndex chip pChipName
availability Profiler_GetCounterAvailability context ctx image_bytes counterAvailabilityImageSize image pCounterAvailabilityImage
host_initialize Profiler_Host_Initialize profiler_type profilerType chip pChipName availability pCounterAvailabilityImage host pHostObject
host_deinitialize Profiler_Host_Deinitialize host pHostObject
add_metrics Profiler_Host_ConfigAddMetrics host pHostObject names ppMetricNames count numMetrics
image_size Profiler_Host_GetConfigImageSize host pHostObject image_bytes configImageSize
image Profiler_Host_GetConfigImage host pHostObject image_bytes configImageSize image pConfigImage
passes Profiler_Host_GetNumOfPasses image_bytes configImageSize image pConfigImage passes numOfPasses
evaluate Profiler_Host_EvaluateToGpuValues host pHostObject data pCounterDataImage data_bytes counterDataImageSize range rangeIndex names ppMetricNames count numMetrics values pMetricValues
enable RangeProfiler_Enable context ctx profiler pRangeProfilerObject
profiler RangeProfiler_Start profiler pRangeProfilerObject
profiler RangeProfiler_Disable profiler pRangeProfilerObject
decode RangeProfiler_DecodeData profiler pRangeProfilerObject dropped_ranges numOfRangeDropped
stop RangeProfiler_Stop profiler pRangeProfilerObject pass passIndex nesting_level targetNestingLevel all_passes_submitted isAllPassSubmitted
data_size RangeProfiler_GetCounterDataSize profiler pRangeProfilerObject names pMetricNames count numMetrics most_ranges maxNumOfRanges most_nodes maxNumRangeTreeNodes data_bytes counterDataSize
data_initialize RangeProfiler_CounterDataImage_Initialize profiler pRangeProfilerObject data_bytes counterDataSize data pCounterData
data_info RangeProfiler_GetCounterDataInfo data pCounterDataImage data_bytes counterDataImageSize ranges numTotalRanges
set_config RangeProfiler_SetConfig profiler pRangeProfilerObject image_bytes configSize image pConfig data_bytes counterDataImageSize data pCounterDataImage range_mode range replay_mode replayMode most_ranges maxRangesPerPass nesting_levels numNestingLevels least_nesting_level minNestingLevel pass passIndex nesting_level targetNestingLevel
'
program=$(mktemp --suffix=.cpp) || exit 1
trap 'rm -f "$program"' EXIT
{
    printf '#include <cuda.h>\n#include <nvrtc.h>\n#include <cupti_profiler_host.h>\n#include <cupti_range_profiler.h>\n'
    printf '#include <cupti_target.h>\n#include "runtime/cuda/cupti_api.h"\n'
    echo "$structs" | while read -r ours theirs members; do
        [ -n "$ours" ] || continue
        type="CUpti_${theirs}_Params"
        # shellcheck disable=SC2086
        set -- $members
        while [ $# -gt 1 ]; do
            printf 'static_assert(offsetof(qn_cupti_%s, %s) == offsetof(%s, %s), "%s.%s");\n' \
                "$ours" "$1" "$type" "$2" "$theirs" "$2"
            printf 'static_assert(sizeof(qn_cupti_%s::%s) == sizeof(%s::%s), "%s.%s");\n' \
                "$ours" "$1" "$type" "$2" "$theirs" "$2"
            last=$1
            shift 2
        done
        printf 'static_assert(QN_CUPTI_SIZE(qn_cupti_%s, %s) == %s_STRUCT_SIZE, "%s");\n' "$ours" "$last" "$type" "$theirs"
        printf 'static_assert(sizeof(qn_cupti_%s) == sizeof(%s), "%s");\n' "$ours" "$type" "$theirs"
    done
    grep -o 'QN_CUPTI_[A-Za-z_]* = ' "$1/src/runtime/cuda/cupti_api.h" | while read -r name _; do
        printf 'static_assert((int)%s == (int)%s, "%s");\n' "$name" "${name#QN_}" "$name"
    done
    # Every function takes a pointer to one struct and returns a result code.
    grep -o '"cupti[A-Z][A-Za-z]*"' "$1/src/runtime/cuda/cupti_api.c" | tr -d '"' | sort -u | while read -r name; do
        printf 'static_assert(sizeof(&%s) == sizeof(void *), "%s");\n' "$name" "$name"
    done
} >"$program"
[ "$(grep -c static_assert "$program")" -gt 150 ] || { echo "too few assertions were made"; exit 1; }
"$compiler" -std=c++17 -fsyntax-only -w -I "$1/src" -I "$1/include" -isystem "$include" "$program"
