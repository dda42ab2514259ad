//! Which places the calls so far touch, and so whom a later one has to wait for.
//!
//! A call that writes to a place conflicts with all that touch it, what is around it and what is
//! inside; a call that reads it with all of these that write. Pairs of calls are never compared: each
//! place knows who wrote to it last and who has read it since, and whoever waits for these waits for
//! those that they waited for. A write takes the place of all that was known of what is inside.

use std::collections::BTreeSet;
use std::mem;
use std::ops::Range;
use std::path::Path;

use super::Access;
use super::schedule::Steps;

/// The places of a batch, each behind the one that it is in: what is inside a place is a range.
#[derive(Debug)]
pub(super) struct Touched {
    places: Vec<Known>,
    /// The places of each call, in order, without those that another one of them stands for.
    by_call: Vec<Vec<Touch>>,
    /// The places of which anything is known.
    known: BTreeSet<usize>,
}

/// A call's use of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Touch {
    place: usize,
    /// Orders a place's writes before its reads.
    only_reads: bool,
}

/// What is known of a place.
#[derive(Debug, Default)]
struct Known {
    /// The innermost place around.
    around: Option<usize>,
    /// The first place behind that is not inside.
    end: usize,
    /// Who wrote to exactly this.
    writer: Option<usize>,
    /// Who has read exactly this since.
    readers: Group,
    /// Who wrote to what is inside, as far as it was asked.
    writers_inside: Option<usize>,
    /// Places directly inside with writers, at or in them, that are not in `writers_inside` yet.
    changed: Vec<usize>,
    /// Whether it is in the list of the place around.
    is_listed: bool,
}

/// Steps that are waited for as one.
#[derive(Debug, Default)]
struct Group {
    joined: Option<usize>,
    loose: Vec<usize>,
}

impl Group {
    fn members(&self) -> impl Iterator<Item = usize> {
        self.loose.iter().copied().chain(self.joined)
    }

    fn join(&mut self, steps: &mut Steps) -> Option<usize> {
        if !self.loose.is_empty() {
            self.loose.extend(self.joined);
            self.joined = steps.join(&self.loose);
            self.loose.clear();
        }
        self.joined
    }
}

impl Touched {
    /// The places that these calls will touch. None is touched yet.
    pub(super) fn by(calls: &[&Access]) -> Touched {
        // In order, all that is inside a place stands directly behind it.
        let mut all: Vec<(&Path, usize, bool)> = Vec::new();
        for (call, access) in calls.iter().enumerate() {
            if let Access::Places(places) = access {
                all.extend(places.iter().map(|p| (p.path(), call, !p.writes())));
            }
        }
        all.sort_unstable();
        let mut touched = Touched {
            places: Vec::new(),
            by_call: vec![Vec::new(); calls.len()],
            known: BTreeSet::new(),
        };
        // The places around the one that is looked at.
        let mut open: Vec<(&Path, usize)> = Vec::new();
        for (path, call, only_reads) in all {
            let place = match open.last() {
                Some((last, place)) if *last == path => *place,
                _ => {
                    while open.last().is_some_and(|(last, _)| !path.starts_with(last)) {
                        touched.close(&mut open);
                    }
                    let place = touched.places.len();
                    touched.places.push(Known {
                        around: open.last().map(|(_, around)| *around),
                        ..Known::default()
                    });
                    open.push((path, place));
                    place
                }
            };
            if let Some(touches) = touched.by_call.get_mut(call) {
                touches.push(Touch { place, only_reads });
            }
        }
        while !open.is_empty() {
            touched.close(&mut open);
        }
        for touches in &mut touched.by_call {
            reduce(touches, &touched.places);
        }
        touched
    }

    fn close(&mut self, open: &mut Vec<(&Path, usize)>) {
        let end = self.places.len();
        if let Some((_, place)) = open.pop()
            && let Some(known) = self.places.get_mut(place)
        {
            known.end = end;
        }
    }

    /// The call waits for those that it conflicts with, and later ones will wait for it.
    pub(super) fn touch(&mut self, call: usize, steps: &mut Steps) {
        let touches = self.by_call.get_mut(call).map(mem::take);
        let touches = touches.unwrap_or_default();
        // All before any is noted: the call must not come to wait for itself.
        let mut earlier = Vec::new();
        for touch in &touches {
            if touch.only_reads {
                self.before_a_read(touch.place, steps, &mut earlier);
            } else {
                self.before_a_write(touch.place, steps, &mut earlier);
            }
        }
        earlier.sort_unstable();
        earlier.dedup();
        for step in earlier {
            steps.wait(call, step);
        }
        for touch in touches {
            if touch.only_reads {
                self.note_read(touch.place, call);
            } else {
                self.note_write(touch.place, call);
            }
        }
    }

    /// Nothing is touched any more.
    pub(super) fn forget(&mut self) {
        self.forget_in(0..self.places.len());
    }

    fn forget_in(&mut self, places: Range<usize>) {
        let known: Vec<usize> = self.known.range(places).copied().collect();
        for place in known {
            self.known.remove(&place);
            if let Some(known) = self.places.get_mut(place) {
                *known = Known {
                    around: known.around,
                    end: known.end,
                    ..Known::default()
                };
            }
        }
    }

    fn before_a_read(&mut self, place: usize, steps: &mut Steps, earlier: &mut Vec<usize>) {
        earlier.extend(self.last_writer(place));
        earlier.extend(self.writers_inside(place, steps));
    }

    fn before_a_write(&mut self, place: usize, steps: &mut Steps, earlier: &mut Vec<usize>) {
        earlier.extend(self.last_writer(place));
        let mut at = self.places.get(place).and_then(|known| known.around);
        while let Some(known) = at.and_then(|at| self.places.get_mut(at)) {
            earlier.extend(known.readers.join(steps));
            at = known.around;
        }
        // Each of these is asked for once: then the write takes its place.
        for inside in self.known.range(self.inside(place)) {
            if let Some(known) = self.places.get(*inside) {
                earlier.extend(known.writer);
                earlier.extend(known.readers.members());
            }
        }
    }

    /// The last to write to the place or to what is around it. Of two writers the inner one was the
    /// later one, and waited for the outer one.
    fn last_writer(&self, place: usize) -> Option<usize> {
        let mut at = Some(place);
        while let Some(known) = at.and_then(|at| self.places.get(at)) {
            if known.writer.is_some() {
                return known.writer;
            }
            at = known.around;
        }
        None
    }

    /// One step for all writers inside. What has changed since it was last asked is added to what
    /// was known then, so that nobody is asked for twice.
    fn writers_inside(&mut self, place: usize, steps: &mut Steps) -> Option<usize> {
        let mut changed = vec![place];
        let mut next = 0;
        while let Some(at) = changed.get(next).copied() {
            next += 1;
            changed.extend(self.places.get(at).into_iter().flat_map(|k| &k.changed));
        }
        // What is inside first.
        for at in changed.into_iter().rev() {
            let Some(known) = self.places.get_mut(at) else {
                continue;
            };
            if known.changed.is_empty() {
                continue;
            }
            let mut writers = Vec::from_iter(known.writers_inside);
            for inner in mem::take(&mut known.changed) {
                if let Some(known) = self.places.get_mut(inner) {
                    known.is_listed = false;
                    writers.extend(known.writer);
                    writers.extend(known.writers_inside);
                }
            }
            let joined = steps.join(&writers);
            if let Some(known) = self.places.get_mut(at) {
                known.writers_inside = joined;
            }
        }
        self.places.get(place)?.writers_inside
    }

    fn note_read(&mut self, place: usize, call: usize) {
        if let Some(known) = self.places.get_mut(place) {
            known.readers.loose.push(call);
            self.known.insert(place);
        }
    }

    fn note_write(&mut self, place: usize, call: usize) {
        let was_listed = self.places.get(place).is_some_and(|known| known.is_listed);
        self.forget_in(self.inside(place));
        if let Some(known) = self.places.get_mut(place) {
            known.writer = Some(call);
            known.is_listed = was_listed;
            self.known.insert(place);
        }
        // Where one is listed, all around it are.
        let mut at = place;
        while let Some(known) = self.places.get_mut(at) {
            let Some(around) = known.around.filter(|_| !known.is_listed) else {
                break;
            };
            known.is_listed = true;
            if let Some(known) = self.places.get_mut(around) {
                known.changed.push(at);
                self.known.insert(around);
            }
            at = around;
        }
    }

    /// The place and all inside.
    fn inside(&self, place: usize) -> Range<usize> {
        place..self.places.get(place).map_or(place, |known| known.end)
    }
}

/// Leaves out what is inside a place that the call writes to, or that it also only reads.
fn reduce(touches: &mut Vec<Touch>, places: &[Known]) {
    touches.sort_unstable();
    let (mut written, mut read) = (0, 0);
    touches.retain(|touch| {
        let end = places.get(touch.place).map_or(0, |known| known.end);
        if touch.place < written || (touch.only_reads && touch.place < read) {
            return false;
        }
        if touch.only_reads {
            read = end;
        } else {
            written = end;
        }
        true
    });
}
