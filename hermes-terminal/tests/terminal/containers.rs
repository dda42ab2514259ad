//! The backend `docker` on a podman of the test's own.

use std::sync::Arc;
use std::time::Duration;

use hermes_terminal::{ContainerLimits, Docker, Limits, Terminal, Variables};
use testdata::PODMAN_IMAGE;

use crate::setup::Place;

pub(crate) const IMAGE: &str = PODMAN_IMAGE;

pub(crate) struct Podman {
    inner: testdata::Podman,
    pub(crate) place: Place,
    /// Whether it can limit what containers use.
    pub(crate) limits: bool,
}

impl Podman {
    /// Nothing where it cannot run; that is said loudly.
    pub(crate) fn start() -> Option<Self> {
        let place = Place::new();
        let inner = testdata::Podman::start_in(place.path())?;
        Some(Self {
            limits: inner.limits(),
            inner,
            place,
        })
    }

    /// Runs it; gives whether it succeeded, and what it said.
    pub(crate) fn run(&self, arguments: &[&str]) -> (bool, String) {
        self.inner.run(arguments)
    }

    /// The names of its containers, those that do not run as well.
    pub(crate) fn containers(&self) -> Vec<String> {
        self.inner.containers()
    }

    pub(crate) fn docker(&self) -> Docker {
        let mut limits = ContainerLimits::default();
        limits.disk_mib = 0;
        limits.memory_mib = 0;
        limits.cpus = 0.0;
        limits.processes = if self.limits { 300 } else { 0 };
        let variables = Variables::none().with(self.inner.variables().iter().cloned());
        Docker::new(self.place.home(), IMAGE)
            .with_program("podman")
            .with_variables(variables)
            .with_network(false)
            .with_limits(limits)
    }

    pub(crate) fn terminal(&self) -> Terminal {
        on(self.docker())
    }
}

pub(crate) fn on(docker: Docker) -> Terminal {
    let mut limits = Limits::default();
    limits.grace = Duration::from_millis(300);
    Terminal::builder()
        .environment(Arc::new(docker))
        .without_gate()
        .limits(limits)
        .build()
        .unwrap()
}
