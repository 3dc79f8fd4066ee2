"""Files that OpenStack's services are configured by: everything in one directory, on 127.0.0.1, in SQLite."""

from pathlib import Path

KEYSTONE = """
[DEFAULT]
log_dir =
[database]
connection = sqlite:///{home}/keystone.sqlite
[fernet_tokens]
key_repository = {home}/fernet-keys
[credential]
key_repository = {home}/credential-keys
"""
CREDENTIALS = """
auth_type = password
auth_url = http://127.0.0.1:{keystone}/v3
username = admin
password = {password}
project_name = admin
user_domain_name = Default
project_domain_name = Default
region_name = RegionOne
"""
PLACEMENT = """
[api]
auth_strategy = keystone
[placement_database]
connection = sqlite:///{home}/placement.sqlite
sync_on_startup = true
[keystone_authtoken]
www_authenticate_uri = http://127.0.0.1:{keystone}/
{credentials}
"""
GLANCE = """
[DEFAULT]
bind_host = 127.0.0.1
bind_port = {glance}
workers = 0
[database]
connection = sqlite:///{home}/glance.sqlite
[glance_store]
stores = file
default_store = file
filesystem_store_datadir = {home}/images
[paste_deploy]
flavor = keystone
config_file = {home}/glance-api-paste.ini
[keystone_authtoken]
www_authenticate_uri = http://127.0.0.1:{keystone}/
{credentials}
"""
GLANCE_PASTE = """
[pipeline:glance-api-keystone]
pipeline = versionnegotiation authtoken context rootapp
[composite:rootapp]
paste.composite_factory = glance.api:root_app_factory
/: apiversions
/v2: apiv2app
[app:apiversions]
paste.app_factory = glance.api.versions:create_resource
[app:apiv2app]
paste.app_factory = glance.api.v2.router:API.factory
[filter:versionnegotiation]
paste.filter_factory = glance.api.middleware.version_negotiation:VersionNegotiationFilter.factory
[filter:context]
paste.filter_factory = glance.api.middleware.context:ContextMiddleware.factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
delay_auth_decision = true
"""
# Networks are none: the stand-in for Neutron has no ports. Down is told within seconds.
NOVA = """
[DEFAULT]
transport_url = rabbit://guest:guest@127.0.0.1:{amqp}/
state_path = {home}
my_ip = 127.0.0.1
compute_driver = fake.FakeLiveMigrateDriver
osapi_compute_listen = 127.0.0.1
osapi_compute_listen_port = {nova}
osapi_compute_workers = 1
report_interval = 2
service_down_time = 10
heal_instance_info_cache_interval = -1
cpu_allocation_ratio = 2.0
ram_allocation_ratio = 1.0
disk_allocation_ratio = 1.0
reserved_host_memory_mb = 512
[api_database]
connection = sqlite:///{home}/nova_api.sqlite?timeout=30
[database]
connection = sqlite:///{home}/nova.sqlite?timeout=30
[wsgi]
api_paste_config = {home}/nova-api-paste.ini
[conductor]
workers = 1
[scheduler]
workers = 1
discover_hosts_in_cells_interval = 2
[oslo_concurrency]
lock_path = {home}/locks
[vnc]
enabled = false
[glance]
api_servers = http://127.0.0.1:{glance}
[neutron]
endpoint_override = http://127.0.0.1:{neutron}
{credentials}
[placement]
{credentials}
[keystone_authtoken]
token_cache_time = -1
www_authenticate_uri = http://127.0.0.1:{keystone}/
{credentials}
"""
NOVA_PASTE = """
[composite:osapi_compute]
use = call:nova.api.openstack.urlmap:urlmap_factory
/: versions
/v2.1: version
/v2.1/+: api
[composite:api]
use = call:nova.api.auth:pipeline_factory_v21
keystone = request_id faultwrap authtoken context application
[app:versions]
paste.app_factory = nova.api.openstack.compute.versions:Versions.factory
[app:version]
paste.app_factory = nova.api.openstack.compute.versions:VersionsV2.factory
[app:application]
paste.app_factory = nova.api.openstack.compute:APIRouterV21.factory
[filter:request_id]
paste.filter_factory = nova.api.compute_req_id:ComputeReqIdMiddleware.factory
[filter:faultwrap]
paste.filter_factory = nova.api.openstack:FaultWrapper.factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
[filter:context]
paste.filter_factory = nova.api.auth:NovaKeystoneContext.factory
"""
RABBITMQ = """
listeners.tcp.1 = 127.0.0.1:{amqp}
log.console = true
"""
CLOUDS = """clouds:
  test:
    region_name: RegionOne
    auth:
      auth_url: http://127.0.0.1:{keystone}/v3
      username: {user}
      password: {password}
      project_name: admin
      user_domain_name: Default
      project_domain_name: Default
"""


def write(home: Path, ports: dict[str, int], password: str, hosts: tuple[str, ...]) -> None:
    """All files of all services; ``ports`` by service."""
    values = {"home": home, "password": password, **ports}
    values["credentials"] = CREDENTIALS.format(**values)
    files = {
        "keystone.conf": KEYSTONE,
        "placement.conf": PLACEMENT,
        "glance-api.conf": GLANCE,
        "glance-api-paste.ini": GLANCE_PASTE,
        "nova.conf": NOVA,
        "nova-api-paste.ini": NOVA_PASTE,
        "rabbitmq.conf": RABBITMQ,
        **{f"{host}.conf": f"[DEFAULT]\nhost = {host}\nstate_path = {{home}}/{host}\n" for host in hosts},
    }
    for name, text in files.items():
        (home / name).write_text(text.format(**values))
    for name in ("images", "locks", "fernet-keys", "credential-keys", *hosts):
        (home / name).mkdir(mode=0o700)
