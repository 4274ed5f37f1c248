"""`handle_system.suffix.lock`: what a forked child finds."""

import threading

from handle_system.suffix.lock import (
    ForkAwareLock,
    _after_fork_in_child,
    _after_fork_in_parent,
    _before_fork,
)


def test_lock_excludes() -> None:
    """One thread at a time is inside."""
    lock = ForkAwareLock()
    inside, most = 0, 0

    def enter() -> None:
        nonlocal inside, most
        for _ in range(200):
            with lock:
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_parent_goes_on_unchanged() -> None:
    """After a fork the parent's locks are free, and nothing else is new."""
    lock = ForkAwareLock()
    _before_fork()
    assert lock._lock.locked()
    _after_fork_in_parent()

    with lock:
        assert lock.generation == 0


def test_child_is_told() -> None:
    """In a child the locks are free, and what they guard is of another generation."""
    lock = ForkAwareLock()
    _before_fork()
    _after_fork_in_child()

    with lock:
        assert lock.generation == 1


def test_fork_waits_for_who_is_inside() -> None:
    """No child is made while another thread holds a lock, so none inherits it."""
    lock = ForkAwareLock()
    order = []
    entered, waiting = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            entered.set()
            waiting.wait()
            order.append("left")

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()
    waiting.set()
    _before_fork()
    order.append("forked")
    _after_fork_in_parent()
    thread.join()

    assert order == ["left", "forked"]
