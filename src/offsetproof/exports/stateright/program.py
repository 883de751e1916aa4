"""The parts of an exported Rust program that are the same for every system."""

from __future__ import annotations

MODEL = """\
/// The system, with the number of the claim that is judged.
struct System {
    claim: Option<usize>,
}

impl Model for System {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        initial()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let all = ACTIONS.iter().map(|(action, _)| *action);
        actions.extend(all.filter(|action| enabled(state, *action)));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        Some(taken(state, action))
    }

    /// Without a claim one that always holds: with no property at all, Stateright explores nothing.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![match self.claim {
            Some(number) => Property::always(CLAIMS[number].0, CLAIMS[number].1),
            None => Property::always("everything is explored", |_, _| true),
        }]
    }
}
"""
"""Stateright's view of the system."""

MAIN = """\
/// Explores, judging one claim or none, and prints one line of JSON.
fn explore(claim: Option<usize>) {
    let checker = System { claim }.checker().threads(1).spawn_bfs().join();
    let path = checker.discoveries().into_values().next().map(|path| path.into_actions());
    let named = |action: &Action| ACTIONS.iter().find(|(other, _)| other == action).unwrap().1;
    let name = |action: &Action| format!("{:?}", named(action));
    let names = path.iter().flatten().map(name).collect::<Vec<_>>().join(", ");
    let answer = [
        ("claim", claim.map_or("null".to_string(), |number| format!("{:?}", CLAIMS[number].0))),
        ("unique_states", checker.unique_state_count().to_string()),
        ("max_depth", checker.max_depth().to_string()),
        ("violated", path.is_some().to_string()),
        ("length", path.as_ref().map_or("null".to_string(), |actions| actions.len().to_string())),
        ("path", format!("[{names}]")),
    ];
    let field = |(key, value): &(&str, String)| format!("\\"{key}\\": {value}");
    println!("{{{}}}", answer.iter().map(field).collect::<Vec<_>>().join(", "));
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.is_empty() {
        explore(None);
    }
    for claim in wanted {
        let Some(number) = CLAIMS.iter().position(|(name, _)| *name == claim) else {
            let known: Vec<&str> = CLAIMS.iter().map(|(name, _)| *name).collect();
            eprintln!("there is no claim {claim}; there is {known:?}");
            std::process::exit(2);
        };
        explore(Some(number));
    }
}
"""
"""The program's own part."""
