# shellcheck shell=bash
# An engine of our own: dockerd from Debian's packages on a private socket, and nothing of it left afterwards.
# Sourced by `check`. Needs WORK (a folder of this run) and CACHE (a folder that is kept); `skip` ends the run.

can_run() {
    [ "$(id -u)" = 0 ] || skip "not root"
    command -v apt-get >/dev/null || skip "no apt-get: the engine comes from Debian's packages"
    grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null || skip "the kernel has no overlayfs"
    mountpoint -q /sys/fs/cgroup || skip "no cgroups are mounted"
    unshare -n -m -p --fork true 2>/dev/null || skip "namespaces are not permitted (inside an unprivileged container?)"
    mkdir -p "$CACHE"
    [ "$(df --output=avail -BG "$CACHE" | tail -1 | tr -dc 0-9)" -ge 6 ] || skip "less than 6 GB of disk are free"
}

install_engine() {
    local wanted=()
    command -v dockerd >/dev/null || wanted+=(docker.io)
    command -v mmdebstrap >/dev/null || wanted+=(mmdebstrap)
    command -v iptables >/dev/null || wanted+=(iptables)
    command -v ip >/dev/null || wanted+=(iproute2)
    command -v curl >/dev/null || wanted+=(curl)
    if [ ${#wanted[@]} -gt 0 ]; then
        { apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
            apt-get -qq install -y --no-install-recommends "${wanted[@]}"; } >"$WORK/apt.log" 2>&1 ||
            skip "apt-get install ${wanted[*]}: $(tail -1 "$WORK/apt.log")"
    fi
    install_plugins
    say "$(docker compose version)"
}

# Compose v2 and buildx are not in Debian 12; those of Debian 13 are unpacked, not installed: they need little but libc.
install_plugins() {
    local plugins=$CACHE/plugins apt=$WORK/apt mirror options
    mkdir -p "$plugins" "$DOCKER_CONFIG"
    if ! [ -x "$plugins/docker-compose" ] || ! [ -x "$plugins/docker-buildx" ]; then
        mkdir -p "$apt"/{lists/partial,cache/archives/partial,unpacked,parts}
        mirror=$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
        [ -n "$mirror" ] || skip "Debian's address is not in /etc/apt/sources.list.d/debian.sources"
        printf 'Types: deb\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: %s\n' \
            "$mirror" /usr/share/keyrings/debian-archive-keyring.gpg >"$apt/parts/trixie.sources"
        options=(-qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/parts"
            -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
        (
            cd "$apt" && apt-get "${options[@]}" update &&
                apt-get "${options[@]}" download docker-compose docker-buildx &&
                for package in *.deb; do dpkg -x "$package" unpacked; done &&
                cp unpacked/usr/libexec/docker/cli-plugins/* "$plugins/"
        ) >"$WORK/plugins.log" 2>&1 || skip "no docker compose v2 to be had: $(tail -1 "$WORK/plugins.log")"
    fi
    ln -sfn "$plugins" "$DOCKER_CONFIG/cli-plugins"
}

start_engine() {
    sweep_mounts # of a run that was killed
    rm -rf "$CACHE/data/network" # and its port reservations
    FORWARDING=$(cat /proc/sys/net/ipv4/ip_forward)
    FORWARD_POLICY=$(iptables -S FORWARD | awk '/^-P/{print $3}')
    mkdir -p "$CACHE/data"
    setsid dockerd --data-root "$CACHE/data" --exec-root "$WORK/exec" --pidfile "$WORK/dockerd.pid" \
        --host "$DOCKER_HOST" --storage-driver overlay2 >"$WORK/dockerd.log" 2>&1 </dev/null &
    ENGINE=$!
    for _ in $(seq 150); do
        docker version >/dev/null 2>&1 && break
        [ -d "/proc/$ENGINE" ] || break
        sleep 0.2
    done
    docker version >/dev/null 2>&1 || skip "dockerd does not start: $(tail -1 "$WORK/dockerd.log")"
    say "engine $(docker version -f '{{.Server.Version}}'), $(docker info -f '{{.Driver}}, cgroup v{{.CgroupVersion}}')"
}

# Everything that the engine leaves in this machine's network and mount tables goes; the cache stays.
stop_engine() {
    if [ -n "${ENGINE:-}" ]; then
        kill -TERM "$ENGINE" 2>/dev/null || true
        for _ in $(seq 60); do
            [ -d "/proc/$ENGINE" ] || break
            sleep 0.5
        done
        kill -KILL "$ENGINE" 2>/dev/null || true
        sweep_network
    fi
    sweep_mounts
}

sweep_mounts() {
    awk -v cache="$CACHE/data" -v work="$WORK_PREFIX" 'index($2, cache) == 1 || index($2, work) == 1 {print $2}' \
        /proc/mounts | sort -r | while read -r mount; do umount -l "$mount" || true; done
}

sweep_network() {
    local table bridge
    for table in filter nat; do
        iptables -t "$table" -S 2>/dev/null |
            grep -E '^-A (FORWARD|PREROUTING|OUTPUT|POSTROUTING) .*(DOCKER|docker0|br-[0-9a-f]{12})' |
            while read -r _ rule; do
                # shellcheck disable=SC2086 # a rule is several words
                iptables -t "$table" -D $rule || true
            done
        for chain in $(iptables -t "$table" -S 2>/dev/null | awk '/^-N DOCKER/{print $2}'); do
            iptables -t "$table" -F "$chain" || true
        done
        for chain in $(iptables -t "$table" -S 2>/dev/null | awk '/^-N DOCKER/{print $2}'); do
            iptables -t "$table" -X "$chain" || true
        done
    done
    iptables -P FORWARD "${FORWARD_POLICY:-ACCEPT}"
    for bridge in docker0 $(ip -br link | awk '/^br-[0-9a-f]{12} /{print $1}'); do
        ip link delete "$bridge" 2>/dev/null || true
    done
    echo "$FORWARDING" >/proc/sys/net/ipv4/ip_forward
}
