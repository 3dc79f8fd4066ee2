#!/usr/bin/env bash
# Builds build/dist/fairlead_VERSION_amd64.deb for the Debian release that this machine has, of what `make setup` built.
# Python packages are bundled, in the versions of requirements.lock: Debian 12's pydantic, numpy and others are older than
# what fairlead needs. They are a virtual environment in /usr/lib/fairlead, of the system's Python.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
work=$PWD/build/deb
root=$work/root
home=/usr/lib/fairlead
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
python=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
next=${python%.*}.$((${python#*.} + 1))
maintainer="${DEBFULLNAME:-fairlead developers} <${DEBEMAIL:-fairlead@example.org}>"  # of the package, as debchange has it
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

say() { printf 'deb: %s\n' "$*"; }

fill() { # FILE: with its @names@ filled in
    sed -e "s|@version@|$version|" -e "s|@maintainer@|$maintainer|" -e "s|@size_KiB@|${size_KiB:-}|" -e "s|@depends@|${depends:-}|" "$1"
}

# The set-up's native build is up to date: nothing is compiled.
pack_fairlead() {
    rm -rf "$work/wheel"
    .venv/bin/python -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$work/wheel" \
        --config-settings build-dir=build/python --config-settings wheel.py-api=py3 . >"$work/log" 2>&1 ||
        { tail -40 "$work/log" >&2; say "fairlead could not be packed; the whole output is in build/deb/log" >&2; exit 1; }
}

install_environment() {
    local packages=$root$home/lib/python$python/site-packages notices package
    /usr/bin/python3 -m venv --without-pip --symlinks "$root$home"
    local pip=(.venv/bin/python -m pip --python "$root$home/bin/python" install -q --disable-pip-version-check --no-compile)
    .venv/bin/python -m scripts.runtime_lock >"$work/runtime.lock"
    "${pip[@]}" --only-binary :all: --require-hashes -r "$work/runtime.lock"
    "${pip[@]}" --no-deps "$work"/wheel/fairlead-*.whl
    # Pip and venv note where they did it.
    rm -f "$packages"/*.dist-info/direct_url.json "$root$home"/bin/* "$root$home"/lib64
    rm -rf "$root$home/include" "$packages/share"
    printf 'home = /usr/bin\ninclude-system-site-packages = false\nversion = %s\n' "$python" >"$root$home/pyvenv.cfg"
    ln -s ../../../bin/python3 "$root$home/bin/python3"
    printf '#!%s/bin/python3 -I\nfrom fairlead.cli.main import main\n\nmain()\n' $home >"$root$home/bin/fairlead"
    chmod 755 "$root$home/bin/fairlead"
    # Tests of others, and headers: a third of the size, and nothing that runs.
    find "$packages" -path "$packages/fairlead" -prune -o -type d \( -name tests -o -name include \) -prune -exec rm -r {} +
    find "$root$home" -name __pycache__ -prune -exec rm -r {} +
    rm -r "$packages/fairlead/_native/mpi/debian"  # for programs that are linked with another library than Debian's
    # Licences of what the native programs hold of others; the rest they are linked with dynamically.
    notices=$packages/fairlead/_native/notices
    mkdir "$notices"
    for package in nlohmann-json3-dev libcli11-dev; do
        install -m 644 "/usr/share/doc/$package/copyright" "$notices/$package"
    done
}

install_rest() {
    local doc=$root/usr/share/doc/fairlead page shell
    install -d "$root/usr/bin" "$doc" "$root/usr/share/man/man1" "$root/usr/share/man/man8" "$root/DEBIAN" \
        "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
        "$root/usr/share/fish/vendor_completions.d" "$root/usr/share/lintian/overrides"
    ln -s ../lib/fairlead/bin/fairlead "$root/usr/bin/fairlead"
    install -m 755 "$root$home"/lib/python*/site-packages/fairlead/_native/bin/fairlead-guardian "$root/usr/bin"
    .venv/bin/fairlead completion bash >"$root/usr/share/bash-completion/completions/fairlead"
    .venv/bin/fairlead completion zsh >"$root/usr/share/zsh/vendor-completions/_fairlead"
    .venv/bin/fairlead completion fish >"$root/usr/share/fish/vendor_completions.d/fairlead.fish"
    .venv/bin/python -m scripts.deb.man_pages "$root/usr/share/man/man1"
    fill scripts/deb/fairlead-guardian.8 >"$root/usr/share/man/man8/fairlead-guardian.8"
    cp scripts/deb/copyright "$doc"
    cp scripts/deb/lintian-overrides "$root/usr/share/lintian/overrides/fairlead"
    printf 'fairlead (%s) unstable; urgency=medium\n\n  * Version %s, as the source tree has it.\n\n -- %s  %s\n' "$version" \
        "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" >"$doc/changelog"
    gzip -9n "$doc/changelog" "$root"/usr/share/man/man?/*
}

# Packages with the libraries that programs and bundled libraries are linked with, but for MPI's, of which there are many;
# and what the package's scripts call.
dependencies() {
    local libraries private
    mkdir -p "$work/shlibdeps/debian"
    printf 'Source: fairlead\n\nPackage: fairlead\nArchitecture: amd64\nDescription: x\n' >"$work/shlibdeps/debian/control"
    mapfile -t private < <(find "$root/usr/lib" -name '*.so*' -printf '-l%h\n' | sort -u)
    libraries=$(cd "$work/shlibdeps" && find "$root/usr/lib" -path '*/_native/mpi' -prune -o -type f \
        \( -name '*.so*' -o -path '*/_native/bin/*' \) -print0 |
        xargs -0 dpkg-shlibdeps -O --ignore-missing-info --warnings=0 "${private[@]}" | sed 's/^shlibs:Depends=//')
    echo "python3 (>= $python), python3 (<< $next), adduser, iproute2, libcap2-bin, passwd, $libraries"
}

make_control() {
    local script
    depends=$(dependencies)
    size_KiB=$(du -sk --apparent-size "$root/usr" | cut -f 1)
    fill scripts/deb/control.in >"$root/DEBIAN/control"
    for script in postinst prerm postrm; do install -m 755 "scripts/deb/$script" "$root/DEBIAN"; done
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
}

scripts/install-packages.sh scripts/packages.deb.txt
rm -rf "$root"
mkdir -p "$root"
umask 022
say "packing fairlead, and the Python packages that it needs for Python $python: about a minute"
pack_fairlead
install_environment
install_rest
make_control
chmod -R u=rwX,go=rX "$root"
find "$root$home/lib" -name '*.so*' -type f -exec chmod 644 {} +
mkdir -p build/dist
say "compressing"
dpkg-deb --root-owner-group -Zxz -z1 --build "$root" build/dist >"$work/log"
say "checking with lintian"
lintian --fail-on error "build/dist/fairlead_${version}_amd64.deb"
say "build/dist/fairlead_${version}_amd64.deb: $(du -h "build/dist/fairlead_${version}_amd64.deb" | cut -f 1)"
