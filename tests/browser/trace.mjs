// What docs/traces.md says a trace means, written for the tests and independently of the page.

/** The states of all nodes after an event. */
export function statesAfter(trace, last) {
  const states = {};
  for (const event of trace.events.slice(0, last + 1)) {
    if (event.node === undefined) continue;
    const state = (states[event.node] ??= {});
    for (const [key, value] of Object.entries(event.changes ?? {})) {
      if (value === null) delete state[key];
      else state[key] = structuredClone(value);
    }
    for (const [path, entries] of Object.entries(event.entries ?? {})) {
      let at = state;
      for (const one of path.split('.')) at = at[one] ??= {};
      for (const [entry, value] of Object.entries(entries)) {
        if (value === null) delete at[entry];
        else at[entry] = structuredClone(value);
      }
    }
    for (const [path, elements] of Object.entries(event.appended ?? {})) {
      const steps = path.split('.');
      const name = steps.pop();
      let at = state;
      for (const one of steps) at = at[one] ??= {};
      (at[name] ??= []).push(...structuredClone(elements));
    }
  }
  return states;
}

/** The labels of the messages that are under way after an event, sorted. */
export function underWayAfter(trace, last) {
  const messages = new Map();
  for (const {kind, data} of trace.events.slice(0, last + 1)) {
    if (kind === 'sent') messages.set(data.message, data.label);
    if (kind === 'delivered' || kind === 'lost') messages.delete(data.message);
  }
  return [...messages.values()].sort();
}

/** The indexes of an event's chain of causes, itself included. */
export function chainOf(trace, index) {
  const chain = [];
  for (let at = index; at !== undefined; at = trace.events[at].cause) chain.push(at);
  return chain;
}
