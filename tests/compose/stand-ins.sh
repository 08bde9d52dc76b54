# Base images under their public names, made of Debian's packages, for machines that reach no image registry.
# Sourced by `check`. Kept in the engine's data folder, made anew each week and when this file changes.

FOLDER=$(dirname "${BASH_SOURCE[0]}")/stand-ins

make_stand_ins() {
    local key
    key=$(cat "${BASH_SOURCE[0]}" "$FOLDER"/*/* /usr/local/share/ca-certificates/*.crt 2>/dev/null | sha256sum | cut -c1-12)
    key=$key-$(date +%G%V)
    if [ "$(docker image inspect -f '{{index .Config.Labels "stand-in"}}' "$PYTHON_IMAGE" 2>/dev/null)" != "$key" ]; then
        import_debian
        build_python "$key"
    fi
    say "base images are there"
}

import_debian() {
    TMPDIR=$WORK mmdebstrap --quiet --variant=minbase --mode=root --dpkgopt=force-unsafe-io \
        --include=ca-certificates bookworm "$WORK/debian.tar" /etc/apt/sources.list.d/debian.sources
    docker import "$WORK/debian.tar" debian:bookworm-slim >/dev/null
    rm "$WORK/debian.tar"
}

# The machine's own certificate authorities go along: builds reach the package indexes the way this machine does.
build_python() {
    local context=$WORK/python
    cp -r "$FOLDER/python" "$context"
    mkdir "$context/authorities"
    cp /usr/local/share/ca-certificates/*.crt "$context/authorities/" 2>/dev/null || true
    docker build --quiet --label "stand-in=$1" --tag "$PYTHON_IMAGE" "$context" >/dev/null
}
