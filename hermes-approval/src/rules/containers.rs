//! Docker, Podman, nerdctl and what manages containers with them.

mod access;
mod lifecycle;
mod removal;

use crate::rule::Pack;

pub(super) static PACK: Pack = Pack {
    name: "containers",
    about: "stopping and removing containers, volumes and images; containers that own the host",
    rules: &[
        lifecycle::COMPOSE,
        lifecycle::CONTAINER,
        removal::CONTAINERS,
        removal::IMAGES,
        removal::PRUNE,
        removal::STATE,
        access::PRIVILEGED,
        access::HOST_MOUNT,
        access::COPY_INTO,
    ],
};

/// Command lines that read like docker's.
const ENGINES: &[&str] = &["docker", "podman", "nerdctl"];
