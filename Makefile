# Every target does its own set-up first. `make help` lists them.
SHELL := /bin/bash
PY := .venv/bin/python
NATIVE := $(shell find native CMakeLists.txt -name '*.?pp' -o -name '*.S' -o -name '*.inc' -o -name '*.map' -o -name CMakeLists.txt -o -name '*.cmake')
PYTEST := $(PY) -m pytest -q

# Where it is set, as in some containers, each start of a command compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo bench faults test test-native test-python test-lxc test-libvirt test-vm test-openstack \
	test-wheel test-arm test-deb verify spank wheel deb lint format reference docs lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

SET_UP := scripts/setup.sh scripts/install-packages.sh scripts/packages.demo.txt requirements.lock pyproject.toml $(NATIVE)

build/.setup: $(SET_UP) scripts/packages.txt
	scripts/setup.sh

# What the demo needs is there sooner than all. The rest is added to it by the whole set-up.
build/.demo: $(SET_UP) scripts/runtime_lock.py
	scripts/setup.sh --demo

# What only tests, benchmarks and lint need. Open MPI 5 and MPICH 5 come from PyPI: Debian 12 does not have them.
build/.tests: build/.setup scripts/packages.test.txt scripts/install-mpi.sh $(wildcard scripts/mpi/*.lock)
	scripts/install-packages.sh scripts/packages.test.txt
	@printf '%s\n' scripts/mpi/*.lock | xargs -P 2 -n 1 scripts/install-mpi.sh
	@touch $@

setup: build/.setup ## install packages, make .venv, build the native programs

demo: build/$(if $(wildcard build/.setup),.setup,.demo) ## a congested network, a managed run, the evidence: about 5 minutes; sets up only what it needs
	.venv/bin/fairlead compare examples/demo.toml --results results/demo

bench: build/.tests ## the benchmark figures: about an hour; BENCH='--only onset --quick' for less
	$(PY) -m bench.run $(BENCH)

test: build/.tests ## all tests but the long ones, side by side: about 11 minutes on 2 cores; TURN= for all cases of those that take turns
	scripts/test.sh

test-native: build/.tests ## C++ unit tests with sanitizers, simulations and explorations without
	scripts/test-native.sh

test-python: build/.tests ## Python, lab and kernel tests
	scripts/test.sh kernel unit mpi

faults: build/.tests ## programs under management while parts of it are hurt (at most 60 minutes); FAULTS='--share 0.1' for less
	$(PY) -m bench.faults $(FAULTS)

verify: build/.tests ## the long suites: kills, fuzzing, long runs (about 75 minutes); VERIFY="labs faults" for some
	scripts/verify.sh $(VERIFY)

test-lxc: build/.tests ## hosts that are real LXC containers (root; installs LXC): 1 minute
	scripts/install-packages.sh scripts/packages.lxc.txt
	$(PYTEST) -m lxc tests/lxc

test-libvirt: build/.tests ## live migration by two real libvirt daemons (root; installs libvirt and QEMU): 3 minutes
	scripts/install-packages.sh scripts/packages.libvirt.txt
	$(PY) -m pip install -q -r scripts/libvirt.lock
	$(PYTEST) -m libvirt tests/libvirt

test-vm: build/.tests ## RDMA devices (soft RoCE) in virtual machines with Debian's kernel (root; installs QEMU): 10 minutes
	scripts/install-packages.sh scripts/packages.vm.txt
	$(PYTEST) -m vm tests/vm

test-openstack: build/.tests ## live migration by real OpenStack services, with a fake hypervisor (root; installs them): 3 minutes
	scripts/install-packages.sh scripts/packages.openstack.txt
	$(PYTEST) -m openstack tests/openstack

build/spank_fairlead.so: $(wildcard native/spank/*.?pp) scripts/packages.slurm.txt
	scripts/install-packages.sh scripts/packages.slurm.txt
	mkdir -p build
	g++ -std=c++17 -O2 -fPIC -shared -Wall -Wextra -Werror -o $@ native/spank/*.cpp

spank: build/spank_fairlead.so ## Slurm's plugin for --fairlead (docs/guides/slurm.md): build/spank_fairlead.so

wheel: build/.setup ## build/dist/fairlead-*.whl for x86-64 and AArch64, to install without a compiler: 15 minutes; PROCESSORS=x86_64 for one
	scripts/wheel.sh $(PROCESSORS)

test-wheel: build/.tests ## the wheel in a bare Debian 12, also under Slurm (root; installs mmdebstrap)
	scripts/wheel.sh x86_64
	scripts/test-wheel.sh $(SUITES)

test-arm: build/.tests ## C++ unit tests, MPI programs and agents for aarch64, emulated (root; installs QEMU): over an hour
	scripts/test-arm.sh

deb: build/.setup ## build/dist/fairlead_*.deb, a Debian package for this machine's release: 3 minutes
	scripts/deb.sh

test-deb: build/.tests deb ## the Debian package in a bare Debian (root; installs mmdebstrap): 5 minutes
	scripts/test-deb.sh

lint: build/.tests ## style, types, formatting, links of the documentation
	.venv/bin/ruff check src tests bench docs native protocol scripts
	.venv/bin/ruff format --check src tests bench docs native protocol scripts
	.venv/bin/mypy src/fairlead bench native protocol scripts docs
	$(PY) scripts/links.py
	git ls-files '*.hpp' '*.cpp' | xargs -r clang-format --dry-run -Werror

format: build/.tests ## apply the formatters
	.venv/bin/ruff format src tests bench docs native protocol scripts
	.venv/bin/ruff check --fix src tests bench docs native protocol scripts
	git ls-files '*.hpp' '*.cpp' | xargs -r clang-format -i

reference: build/.setup ## the pages of docs/reference that are made from the code
	$(PY) -m scripts.reference

build/.docs: build/.setup scripts/docs.lock
	$(PY) -m pip install -q --disable-pip-version-check --require-hashes -r scripts/docs.lock
	@touch $@

docs: build/.docs ## the documentation as a site, in build/site; broken links fail
	$(PY) scripts/links.py
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build -q --strict
	@echo "build/site/index.html"

LOCK := .venv/bin/pip-compile -q --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url \
	--no-emit-trusted-host --no-emit-find-links --no-header

lock: ## resolve the Python dependencies again into requirements.lock and scripts/docs.lock
	.venv/bin/python -m pip install -q pip-tools
	$(LOCK) --all-build-deps --extra dev --extra openstack -o requirements.lock pyproject.toml
	$(LOCK) -c requirements.lock -o scripts/docs.lock scripts/docs.in

clean: ## remove what was built (results stay)
	rm -rf build .venv
