// "What if?": the run's scenario with one more thing in it, placed at a step. Up to there the run stays the
// same, because it keeps its seed and its choices.

import {isObject} from './model.js';
import {brief} from './sentences.js';

const leftOut = ['expect', 'fails_with', 'fails', 'claims', 'because', 'loop', 'translations'];

/** The place of a step's event among those of its kind at its node, as a scenario's `when`. */
function whenOf(model, index) {
  const event = model.events[index];
  if (typeof event.node !== 'number') return {at: event.time};
  let nth = 0;
  for (let i = 0; i <= index; ++i) {
    if (model.events[i].kind === event.kind && model.events[i].node === event.node) ++nth;
  }
  return {when: {event: {kind: event.kind, node: event.node}, ...(nth > 1 ? {nth} : {})}};
}

/** Whether messages of a link go over connections: then some connection began or ended, or all were there before. */
function hasConnections(model, link) {
  if (!connections.has(model)) connections.set(model, new Map());
  const known = connections.get(model);
  if (!known.has(link)) known.set(link, findConnections(model, link));
  return known.get(link);
}
const connections = new WeakMap(); // by model, then by link

function findConnections(model, link) {
  const known = isObject(model.scenario.links) ? model.scenario.links[link] : undefined;
  if (known === 'datagram') return false;
  const ofConnections = new Set(['connected', 'refused', 'closed', 'broken']);
  if (
    model.events.some(
      (event) => event.data.link === link && (ofConnections.has(event.kind) || event.data.reason === 'not_connected'),
    )
  )
    return true;
  const servers = Array.isArray(model.scenario.servers) ? model.scenario.servers.filter(isObject) : [];
  return model.scenario.connected === true || servers.some((server) => server.state !== undefined);
}

/** Whether the run of this model can be changed: it has its scenario, and its seed is one that numbers here can hold. */
export function canChange(model) {
  const seed = model.header.seed;
  return model.scenario !== null && model.rows > 0 && (typeof seed !== 'number' || Number.isSafeInteger(seed));
}

/** Where a row ends: what its node does in this step is done, so its last event counts. */
function hereOf(model, row) {
  let own = model.end(row) - 1;
  const {time} = model.events[own];
  while (own >= model.first[row] && typeof model.events[own].node !== 'number') --own;
  return {own, here: own < model.first[row] ? {at: time} : whenOf(model, own)};
}

/** A request to a client right after a row, as a possibility; `request` has the keys of a scenario's step. */
export function requestTo(model, row, node, request) {
  const words = {name: node.name, request: brief(request, 80)};
  const common = {of: node, key: 'whatif_ask', words, since: model.first[row], timed: false};
  const {here} = hereOf(model, row);
  if (!Array.isArray(model.scenario.actions)) return {...common, steps: () => [{...here, client: node.id, ...request}]};
  const time = model.time(row);
  return {...common, action: {do: 'ask', server: node.id, ask: request}, at: Math.floor(time / 10)};
}

/**
 * What could happen right after a row, what happens to the row's own messages and node first: `key` and `words`, a text
 * and its fields; `of`, the node or the message that it happens to; `since`, the event up to which the run stays the
 * same; `steps(ms)`, what a scenario does, with a time if it is `timed`, which begins `due` ms later if it has that; in a
 * run by actions `action`, and its place `at` among the others.
 */
export function possibilities(model, row) {
  if (!canChange(model)) return [];
  const runsByActions = Array.isArray(model.scenario.actions);
  const last = model.end(row) - 1;
  const world = model.worldAt(row);
  const time = model.events[last].time;
  const {own, here} = hereOf(model, row);
  const result = [];
  const since = model.first[row];
  const add = (of, key, words, steps, timed = false) => result.push({of, key, words, since, steps, timed});
  const act = (of, key, words, action) => result.push({of, key, words, since, action, at: Math.floor(time / 10)});

  const ofRow = [];
  for (let i = model.first[row]; i <= last; ++i) {
    if (model.messageOf[i] >= 0) ofRow.push(model.messages[model.messageOf[i]]);
  }
  // Of a run by actions, and of messages that the step did not send, only what is still on its way can be changed.
  const flight = [...world.flight].map((place) => model.messages[place]).filter((message) => message.left >= 0);
  const near = runsByActions ? flight.filter((message) => ofRow.includes(message)) : ofRow;

  const addMessage = (message) => {
    if (
      message.sent < 0 ||
      typeof message.from !== 'number' ||
      typeof message.to !== 'number' ||
      message.from === message.to
    )
      return;
    const words = {label: message.label, from: model.name(message.from), to: model.name(message.to)};
    const way = {link: message.link, from: message.from, to: message.to};
    const between = [message.from, message.to];
    const connected = hasConnections(model, message.link);
    const content = model.events[message.sent].data.content;
    const exactly = isObject(content) ? {...way, message: content} : way;
    if (runsByActions) {
      if (connected) act(message, 'whatif_break', words, {do: 'disrupt', ...way, lose: true});
      else act(message, 'whatif_drop', words, {do: 'drop', ...exactly});
      return;
    }
    // What is sent or read in this step is changed when it left; what else is on its way, here.
    const isOfRow = ofRow.includes(message);
    const left = message.left >= 0 ? message.left : message.sent;
    const then = isOfRow ? whenOf(model, left) : here;
    const from = isOfRow ? model.events[left].time : time;
    // A step follows everything else of its millisecond.
    if (message.end >= 0 && model.events[message.end].time === from) return;
    const addTo = (key, steps, timed) => {
      add(message, key, words, steps, timed);
      if (isOfRow) result[result.length - 1].since = left;
    };
    // So much later than it would arrive.
    const due = message.end < 0 ? 0 : model.events[message.end].time - from;
    const held = (ms) => [
      {...then, hold: way},
      {after: due + ms, release: way},
    ];
    addTo('whatif_delay', held, true);
    result[result.length - 1].due = due;
    if (message.left >= 0)
      addTo('whatif_now', () =>
        arrivals(then, connected ? [...earlierThan(message), message].map(() => way) : [exactly]),
      );
    if (connected) addTo('whatif_break', () => [{...then, break: {link: message.link, between, lose: true}}]);
    else addTo('whatif_drop', () => [{...then, drop: exactly}]);
  };

  // What is on its way before a message, of those that keep their order.
  function earlierThan(message) {
    return flight.filter(
      (one) =>
        one.link === message.link && one.from === message.from && one.to === message.to && one.left < message.left,
    );
  }

  const steps = Array.isArray(model.scenario.steps) ? model.scenario.steps.filter(isObject) : [];
  const cutsItself = steps.some((step) => 'partition' in step || 'cut' in step);

  const addProcess = (node) => {
    const view = world.views[node.lane];
    const id = node.id;
    const words = {name: node.name};
    const isOfServer = isServer(node);
    if (!isOfServer && runsByActions) return;
    if (view.up === null) {
      // It was never started; one that is about to start needs no change.
      if (model.events.some((event) => event.kind === 'started' && event.node === id)) return;
      if (runsByActions) act(node, 'whatif_start', words, {do: 'start', server: id});
      else add(node, 'whatif_start', words, () => [{...here, start: id}]);
      return;
    }
    if (runsByActions) {
      if (view.up === false) return act(node, 'whatif_start', words, {do: 'start', server: id});
      act(node, 'whatif_kill', words, {do: 'kill', server: id});
      act(node, 'whatif_power', words, {do: 'lose_power', server: id});
      if (view.paused) act(node, 'whatif_resume', words, {do: 'resume', server: id});
      else act(node, 'whatif_pause_on', words, {do: 'pause', server: id});
      return;
    }
    if (view.up === false) {
      // A server that no step has ended before it is started would be one that does not run from the beginning.
      const isEnded = model.events.some(
        (event) => event.kind === 'stopped' && event.node === id && event.data.how !== 'exit',
      );
      const begun = (does) =>
        isEnded
          ? [{...here, ...does}]
          : [
              {...here, kill: id},
              {after: 0, ...does},
            ];
      add(node, 'whatif_start', words, () => begun({start: id}));
      if (isOfServer) add(node, 'whatif_wipe', words, () => [...begun({wipe: id}), {after: 0, start: id}]);
      return;
    }
    const once = (key, does) => add(node, key, words, () => [{...here, ...does}]);
    const until = (key, does, then) =>
      add(
        node,
        key,
        words,
        (ms) => [
          {...here, ...does},
          {after: ms, ...then},
        ],
        true,
      );
    once('whatif_kill', {kill: id});
    if (isOfServer) once('whatif_power', {power_loss: id});
    until('whatif_restart', {kill: id}, {start: id});
    if (view.paused) once('whatif_resume', {resume: id});
    else until('whatif_pause', {pause: id}, {resume: id});
    once('whatif_partition', {partition: [[id]]});
    // To heal everything is what the change says only if nothing else is cut.
    if (!cutsItself) until('whatif_partition_for', {partition: [[id]]}, {heal: true});
  };

  const addClient = (node) => {
    for (const request of requestsOf(model, node.id)) result.push(requestTo(model, row, node, request));
  };

  for (const message of new Set(near)) addMessage(message);
  const actor = own < model.first[row] ? undefined : model.nodes[model.laneOf.get(model.events[own].node)];
  if (actor !== undefined && isServer(actor)) addProcess(actor);
  for (const node of model.nodes) if (isServer(node) && node !== actor) addProcess(node);
  for (const message of flight) if (!near.includes(message)) addMessage(message);
  for (const node of model.nodes) {
    if (node.kind !== 'client') continue;
    addClient(node);
    addProcess(node);
  }
  if (world.cuts.size > 0 && !runsByActions) add(null, 'whatif_heal', {}, () => [{...here, heal: true}]);
  return result;
}

/** Steps in which messages arrive at once, one after another. */
function arrivals(then, ways) {
  return ways.map((way, i) => ({...(i === 0 ? then : {after: 0}), action: {do: 'deliver', ...way}}));
}

const isServer = (node) => node.kind !== 'client' && node.kind !== 'scripted';

/** What this client could be asked: whatever the scenario asks clients to do, each once. */
export function requestsOf(model, client) {
  const found = new Map();
  const asked = (request) => found.set(JSON.stringify(request), request);
  for (const step of Array.isArray(model.scenario.steps) ? model.scenario.steps : []) {
    if (!isObject(step) || typeof step.client !== 'number') continue;
    const {at, after, when, client: who, times, every, closed, ...request} = step;
    if (who === client || !('connect' in request)) asked(request);
  }
  for (const action of Array.isArray(model.scenario.actions) ? model.scenario.actions : [])
    if (isObject(action) && action.do === 'ask' && isObject(action.ask)) asked(action.ask);
  return [...found.values()].slice(0, 12);
}

/** What a scenario has besides what is about the run before it was changed, with the choices of the run. */
export function scenarioOfRun(model) {
  const {about, ...rest} = model.scenario;
  for (const key of leftOut) delete rest[key];
  const scenario = {kind: 'scenario', ...rest};
  if (typeof model.header.seed === 'number') scenario.seed = model.header.seed;
  if (Array.isArray(model.trace.choices) && model.trace.choices.length > 0) {
    const choices = model.trace.choices.filter((choice) => Array.isArray(choice) && choice.length === 2);
    scenario.choices = {...(isObject(rest.choices) ? rest.choices : {}), ...Object.fromEntries(choices)};
  }
  return scenario;
}

/** The changed scenario; `words`: the change, as a sentence. */
export function changedScenario(model, row, possibility, ms, words) {
  const event = model.first[row];
  const {kind, name, ...rest} = scenarioOfRun(model);
  const scenario = {kind, name: `${brief(name ?? model.title, 300)}; ${brief(words, 100)} (event ${event})`, ...rest};
  // Time to see what follows.
  const time = model.events[event].time + (possibility.timed ? ms + (possibility.due ?? 0) : 0) + 3000;
  if (typeof scenario.until === 'number') scenario.until = Math.max(scenario.until, time);
  if (possibility.action !== undefined) {
    scenario.actions = scenario.actions.slice();
    scenario.actions.splice(possibility.at, 0, possibility.action);
  } else {
    scenario.steps = (Array.isArray(scenario.steps) ? scenario.steps : []).concat(possibility.steps(ms));
  }
  return scenario;
}

/** The scenario as the text of a file. */
export function scenarioText(scenario) {
  return JSON.stringify(scenario, null, 2).replaceAll('-9223372036854776000', '-9223372036854775808') + '\n';
}

/** What an action of a list of those that could be next is in a scenario, after everything of its time. */
export function asPossibility(model, action, time) {
  if (Array.isArray(model.scenario.actions)) return {action, at: Math.floor(time / 10)};
  let last = model.events.findLastIndex((event) => event.time <= time);
  while (last > 0 && typeof model.events[last].node !== 'number' && model.events[last - 1].time === time) --last;
  return {steps: () => [{...whenOf(model, last), action}]};
}

/** A file's name for a changed scenario. */
export function fileName(model, row) {
  const title = model.title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return `${title || 'run'}-what-if-${model.first[row]}.json`;
}
