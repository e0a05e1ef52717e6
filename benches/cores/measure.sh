#!/usr/bin/env bash
# Trains small cases on different numbers of threads: measure.sh NGSLL DATA OUT [THREADS ...]
# Needs bash and the program only. A line for each case and number of threads goes to OUT/seconds.tsv;
# what the program said, with the time of each line, to OUT/CASE-THREADS.log.
set -eu
export LC_ALL=C # EPOCHREALTIME with a point
program=$1 data=$2 out=$3
shift 3
mkdir -p "$out"
threads=("$@")
if [ ${#threads[@]} -eq 0 ]; then threads=(16 1 8 2 4); fi

# Microseconds as seconds.
seconds() { printf '%d.%03d' $(($1 / 1000000)) $(($1 % 1000000 / 1000)); }

# case, threads, epochs that are measured, arguments of `ngsll train`: the first epoch warms up.
measure() {
    local case=$1 n=$2 log="$out/$1-$2.log" first=0 last=0 count=0 start end now
    shift 2
    start=${EPOCHREALTIME/./}
    while IFS= read -r line; do
        now=${EPOCHREALTIME/./}
        echo "$(seconds $((now - start))) $line"
        case $line in *"training loss"*)
            if [ $count -eq 0 ]; then first=$now; fi
            last=$now count=$((count + 1)) ;;
        esac
    done < <(RAYON_NUM_THREADS=$n "$program" train "$@" --out "$out/model" 2>&1 || echo FAILED) > "$log.part"
    end=${EPOCHREALTIME/./}
    mv "$log.part" "$log"
    rm -rf "$out"/model*
    local epoch=-
    if [ $count -gt 1 ]; then epoch=$(seconds $(((last - first) / (count - 1)))); fi
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$case" "$n" "$(seconds $((end - start)))" "$epoch" \
        "$(seconds $((first > 0 ? first - start : 0)))" "$(seconds $((last > 0 ? end - last : 0)))" |
        tee -a "$out/seconds.tsv"
}

printf 'case\tthreads\tall\tepoch\tto the end of the first epoch\tafter the last\n' | tee "$out/seconds.tsv"
for n in "${threads[@]}"; do
    measure image "$n" --task image --data "$data/images.idx3-ubyte.gz" --labels "$data/images.idx1-ubyte.gz" \
        --set training.epochs=3
    measure text "$n" --task text --data "$data/texts.tsv" --set training.epochs=2
    measure table "$n" --task tabular --data "$data/table.csv" --target y --set training.epochs=2
    measure small-table "$n" --task tabular --data "$data/small.csv" --target y
done
