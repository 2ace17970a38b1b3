"""
Prints which node has the lock of the primary after the first node, which had it, was paused until the lock expired and
the second node took it. Uses the code of Patroni. Arguments: the configuration files of both nodes.
"""

import inspect
import sys
import time

from patroni.config import Config
from patroni.dcs import get_dcs

LOCK_SECONDS = 2


def connect(file):
    # Shorter than Patroni allows.
    return get_dcs({**Config(file).copy(), "ttl": LOCK_SECONDS, "retry_timeout": 5, "loop_wait": 1})


def renew_lock(store, cluster):
    # Newer versions get the cluster as an argument.
    arguments = [cluster] if "cluster" in inspect.signature(store.update_leader).parameters else []
    return store.update_leader(*arguments, None)


first, second = (connect(file) for file in sys.argv[1:])
if not first.attempt_to_acquire_leader():
    sys.exit("The first node did not get the lock")
# The last that the first node reads before it is paused.
cluster = first.get_cluster()
while not second.attempt_to_acquire_leader():
    time.sleep(0.1)
if renew_lock(first, cluster):
    sys.exit("The first node believes that it still has the lock")
print(second.get_cluster().leader.name)
