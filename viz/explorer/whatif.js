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

/** What could happen at a row instead: `words`, the key of a text and its fields; `steps(ms)`, what a scenario does. */
export function possibilities(model, row) {
  const seed = model.header.seed;
  // A seed that numbers here cannot hold would give another run.
  if (model.scenario === null || (typeof seed === 'number' && !Number.isSafeInteger(seed))) return [];
  const result = [];
  const last = model.end(row) - 1;
  let own = -1;
  // What the node does in this step is done, so its last event counts.
  for (let i = model.first[row]; i <= last; ++i) {
    if (typeof model.events[i].node === 'number') own = i;
  }
  const runsByActions = Array.isArray(model.scenario.actions);
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
    const sent = whenOf(model, message.sent);
    if (runsByActions) return;
    result.push({
      key: 'whatif_delay',
      words,
      timed: true,
      steps: (ms) => [
        {...sent, hold: way},
        {after: ms, release: way},
      ],
    });
    if (hasConnections(model, message.link)) {
      result.push({
        key: 'whatif_break',
        words,
        steps: () => [{...sent, break: {link: message.link, between: [message.from, message.to], lose: true}}],
      });
    } else {
      result.push({key: 'whatif_drop', words, steps: () => [{...sent, drop: way}]});
    }
  };
  for (let i = model.first[row]; i <= last; ++i) {
    if (model.messageOf[i] >= 0) addMessage(model.messages[model.messageOf[i]]);
  }
  const node = own < 0 ? undefined : model.nodes[model.laneOf.get(model.events[own].node)];
  if (node !== undefined && node.kind !== 'client' && node.kind !== 'scripted') {
    const words = {name: node.name};
    const here = whenOf(model, own);
    const time = model.events[own].time;
    if (runsByActions) {
      const action = (one) => ({action: one, at: Math.floor(time / 10)});
      result.push({key: 'whatif_kill', words, ...action({do: 'kill', server: node.id})});
      result.push({key: 'whatif_power', words, ...action({do: 'lose_power', server: node.id})});
    } else {
      result.push({key: 'whatif_kill', words, steps: () => [{...here, kill: node.id}]});
      result.push({key: 'whatif_power', words, steps: () => [{...here, power_loss: node.id}]});
      result.push({
        key: 'whatif_pause',
        words,
        timed: true,
        steps: (ms) => [
          {...here, pause: node.id},
          {after: ms, resume: node.id},
        ],
      });
      result.push({key: 'whatif_partition', words, steps: () => [{...here, partition: [[node.id]]}]});
    }
  }
  return result;
}

/** The changed scenario. */
export function changedScenario(model, row, possibility, ms) {
  const {kind, name, about, ...rest} = model.scenario;
  for (const key of leftOut) delete rest[key];
  const event = model.first[row];
  const scenario = {
    kind: kind ?? 'scenario',
    name: `${brief(name ?? model.title, 100)}, changed at event ${event}`,
    ...rest,
  };
  if (typeof model.header.seed === 'number') scenario.seed = model.header.seed;
  if (Array.isArray(model.trace.choices) && model.trace.choices.length > 0) {
    const choices = model.trace.choices.filter((choice) => Array.isArray(choice) && choice.length === 2);
    scenario.choices = {...(isObject(rest.choices) ? rest.choices : {}), ...Object.fromEntries(choices)};
  }
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
