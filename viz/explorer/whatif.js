// "What if?": the run's scenario with one more thing in it, placed at a step. Up to there the run stays the
// same, because it keeps its seed and its choices.

import {isObject} from './model.js';
import {brief} from './sentences.js';

const leftOut = ['expect', 'fails_with', 'fails', 'claims', 'because'];

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

/**
 * What could happen right after a row: `key` and `words`, a text and its fields; `of`, the node or the message that it
 * happens to; `steps(ms)`, what a scenario does, with a time if it is `timed`; in a run by actions `action`, and its
 * place `at` among the others. What happens to the row's own messages and node comes first.
 */
export function possibilities(model, row) {
  if (!canChange(model)) return [];
  const runsByActions = Array.isArray(model.scenario.actions);
  const last = model.end(row) - 1;
  const world = model.worldAt(row);
  const time = model.events[last].time;
  // What the node does in this step is done, so its last event counts.
  let own = last;
  while (own >= model.first[row] && typeof model.events[own].node !== 'number') --own;
  const here = own < model.first[row] ? {at: time} : whenOf(model, own);
  const result = [];
  const add = (of, key, words, steps, timed) => result.push({of, key, words, steps, timed});
  const act = (of, key, words, action) => result.push({of, key, words, action, at: Math.floor(time / 10)});

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
    // A message of this step is known by its event; the step has seen nothing else of it yet.
    const inStep = model.rowOf[message.sent] === row;
    const then = inStep ? whenOf(model, message.sent) : here;
    add(
      message,
      'whatif_delay',
      words,
      (ms) => [
        {...then, hold: way},
        {after: ms, release: way},
      ],
      true,
    );
    if (connected)
      add(message, 'whatif_break', words, () => [{...then, break: {link: message.link, between, lose: true}}]);
    else add(message, 'whatif_drop', words, () => [{...then, drop: inStep ? way : exactly}]);
  };

  const addServer = (node) => {
    const view = world.views[node.lane];
    const id = node.id;
    const words = {name: node.name};
    if (runsByActions) {
      if (view.up === false) return act(node, 'whatif_start', words, {do: 'start', server: id});
      act(node, 'whatif_kill', words, {do: 'kill', server: id});
      act(node, 'whatif_power', words, {do: 'lose_power', server: id});
      if (view.paused) act(node, 'whatif_resume', words, {do: 'resume', server: id});
      else act(node, 'whatif_pause_on', words, {do: 'pause', server: id});
      return;
    }
    if (view.up === false) {
      add(node, 'whatif_start', words, () => [{...here, start: id}]);
      add(node, 'whatif_wipe', words, () => [
        {...here, wipe: id},
        {after: 0, start: id},
      ]);
      return;
    }
    add(node, 'whatif_kill', words, () => [{...here, kill: id}]);
    add(node, 'whatif_power', words, () => [{...here, power_loss: id}]);
    add(
      node,
      'whatif_restart',
      words,
      (ms) => [
        {...here, kill: id},
        {after: ms, start: id},
      ],
      true,
    );
    if (view.paused) add(node, 'whatif_resume', words, () => [{...here, resume: id}]);
    else
      add(
        node,
        'whatif_pause',
        words,
        (ms) => [
          {...here, pause: id},
          {after: ms, resume: id},
        ],
        true,
      );
    add(node, 'whatif_partition', words, () => [{...here, partition: [[id]]}]);
    add(
      node,
      'whatif_partition_for',
      words,
      (ms) => [
        {...here, partition: [[id]]},
        {after: ms, heal: true},
      ],
      true,
    );
  };

  const addClient = (node) => {
    for (const request of requestsOf(model, node.id)) {
      const words = {name: node.name, request: brief(request, 80)};
      if (runsByActions) act(node, 'whatif_ask', words, {do: 'ask', server: node.id, ask: request});
      else add(node, 'whatif_ask', words, () => [{...here, client: node.id, ...request}]);
    }
  };

  const ofRow = [];
  for (let i = model.first[row]; i <= last; ++i) {
    if (model.messageOf[i] >= 0) ofRow.push(model.messages[model.messageOf[i]]);
  }
  // Of a run by actions, and of messages that the step did not send, only what is still on its way can be changed.
  const flight = [...world.flight].map((place) => model.messages[place]).filter((message) => message.left >= 0);
  const near = runsByActions ? flight.filter((message) => ofRow.includes(message)) : ofRow;
  for (const message of new Set(near)) addMessage(message);
  const actor = own < model.first[row] ? undefined : model.nodes[model.laneOf.get(model.events[own].node)];
  const isServer = (node) => node.kind !== 'client' && node.kind !== 'scripted';
  if (actor !== undefined && isServer(actor)) addServer(actor);
  for (const node of model.nodes) if (isServer(node) && node !== actor) addServer(node);
  for (const message of flight) if (!near.includes(message)) addMessage(message);
  for (const node of model.nodes) if (node.kind === 'client') addClient(node);
  if (world.cuts.size > 0 && !runsByActions) add(null, 'whatif_heal', {}, () => [{...here, heal: true}]);
  return result;
}

/** What this client could be asked: whatever the scenario asks clients to do, each once. */
function requestsOf(model, client) {
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
  const time = model.events[event].time + (possibility.timed ? ms : 0) + 3000;
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

/** A file's name for a changed scenario. */
export function fileName(model, row) {
  const title = model.title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${title || 'run'}-what-if-${model.first[row]}.json`;
}
