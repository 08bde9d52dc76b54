# shellcheck shell=bash
# Base images under their public names, made of Debian's packages, for machines that reach no image registry.
# Sourced by `check`. Kept in the engine's data folder, made anew each week and when something here changes.

FOLDER=$(dirname "${BASH_SOURCE[0]}")/stand-ins
declare -A PUBLIC_NAMES=(
    [python]=python:3.11-slim-bookworm
    [postgres]=postgres:17-alpine
    [caddy]=caddy:2.10-alpine
)

make_stand_ins() {
    local key name build builds=()
    key=$(cat "${BASH_SOURCE[0]}" "$FOLDER"/*/* /usr/local/share/ca-certificates/*.crt 2>/dev/null | sha256sum)
    key=${key:0:12}-$(date +%G%V)
    if [ "$(label_of "${PUBLIC_NAMES[python]}")" != "$key" ] || [ "$(label_of "${PUBLIC_NAMES[caddy]}")" != "$key" ] ||
        [ "$(label_of "${PUBLIC_NAMES[postgres]}")" != "$key" ]; then
        import_debian >"$WORK/debian.log" 2>&1 || skip "no base image from Debian's packages: $(tail -1 "$WORK/debian.log")"
        for name in "${!PUBLIC_NAMES[@]}"; do
            build_stand_in "$name" "$key" >"$WORK/$name.log" 2>&1 &
            builds[$!]=$name
        done
        for build in "${!builds[@]}"; do
            name=${builds[$build]}
            wait "$build" || skip "no image in the place of ${PUBLIC_NAMES[$name]}: $(tail -1 "$WORK/$name.log")"
        done
    fi
    say "base images are there"
}

label_of() { docker image inspect -f '{{index .Config.Labels "stand-in"}}' "$1" 2>/dev/null || true; }

import_debian() {
    local space=$WORK # in memory, where there is enough of it: a few thousand small files
    if [ "$(df --output=avail -BM /dev/shm 2>/dev/null | tail -1 | tr -dc 0-9)" -ge 1000 ] 2>/dev/null; then
        space=/dev/shm
    fi
    TMPDIR=$space mmdebstrap --quiet --variant=minbase --mode=root --dpkgopt=force-unsafe-io \
        --include=ca-certificates bookworm "$WORK/debian.tar" /etc/apt/sources.list.d/debian.sources &&
        docker import "$WORK/debian.tar" debian:bookworm-slim && rm "$WORK/debian.tar"
}

# The machine's own certificate authorities go along: builds reach the package indexes the way this machine does.
build_stand_in() {
    local context=$WORK/$1
    cp -r "$FOLDER/$1" "$context" && mkdir "$context/authorities" || return
    cp /usr/local/share/ca-certificates/*.crt "$context/authorities/" 2>/dev/null || true
    docker build --quiet --label "stand-in=$2" --tag "${PUBLIC_NAMES[$1]}" "$context"
}
