// The page's own words in English and Chinese. The sentences of a trace stay as the trace has them.

import { clean } from './dom.js';

const english = {
  language: '中文',
  language_title: 'Show this page in Chinese (l)',
  theme: 'Dark', theme_light: 'Light', theme_title: 'Light or dark (d)',
  help: 'Keys', help_title: 'Keys and signs (?)',
  first: 'First step', last: 'Last step', back: 'Step back', next: 'Next step',
  play: 'Play', pause: 'Pause',
  election: 'Election', election_title: 'Next election (e; back: E)',
  violation: 'Violation', violation_title: 'Next violation (n; back: N)',
  no_violation: 'Nothing was violated', no_election: 'There was no election',
  difference: 'Difference', difference_title: 'First difference of the two runs (g)',
  search: 'Search', search_hint: 'Search (/)', no_match: 'No step matches', matches: '{n} steps match',
  filter: 'Filter', filter_title: 'Choose what the ladder shows (f)',
  filter_nodes: 'Lanes', filter_kinds: 'Kinds of events', filter_fold: 'Fold heartbeats',
  filter_matching: 'Only steps that match the search', filter_all: 'Show everything', close: 'Close',
  scrubber: 'Step', position: 'event {event} of {last} · {time} ms · step {step} of {steps}',
  ladder: 'Steps of the run', ladder_a: 'Steps of run A', ladder_b: 'Steps of run B',
  folded: '{n} steps not shown; Enter shows them', lane: 'Steps of {name}',
  this_step: 'This step', changed: 'What changed', unchanged: 'No field of a state changed.',
  more: '{n} more', appended: 'appended', removed: 'removed', none: 'none',
  why: 'Why?', why_title: 'Keep the causes of this step bright: the chain of causes, everything that could have caused it, off (w)',
  why_chain: 'Bright: the {n} steps of its chain of causes', why_past: 'Bright: the {n} steps that could have caused it',
  what_if: 'What if…', what_if_title: 'Change what happens here (x)', link: 'Copy link', copied: 'Copied', copy: 'Copy',
  download: 'Save file', cause: 'caused by', causes: 'leads to',
  nodes: 'Nodes', box: 'Tally', log: 'Log', tally: '{n} counted', quorum: 'quorum',
  disk: 'Disk', disk_synced: 'all synced', disk_pending: 'not synced: {what}', disk_lost: 'lost with the power: {what}',
  timers: 'Timers', timer_in: '{timer} in {ms} ms', state: 'Whole state of {name}', said: 'Last said', empty_log: 'empty',
  flight: 'Messages in flight', flight_none: 'No message is in flight.', from: 'from', to: 'to', message: 'message', since: 'since', age: 'age',
  waiting: 'waits for a connection', network: 'Network', cut_now: 'cut: {links}', held_now: 'held back: {what}',
  invariants: 'Invariants', held_all: '{n} hold in the whole run', violated_here: 'violated at this step',
  violated_at: 'violated at event {n}', violated_later: 'holds so far, violated at event {n}', not_exercised: '{n} were not exercised',
  violated_run: 'violated in this run', expectations: 'Expectations', met_all: '{n} met', failed_at: 'failed at event {n}', failed: 'failed', undecided: 'undecided',
  invariants_none: 'The trace names no invariant.',
  legend_election: 'election', legend_crash: 'crash', legend_cut: 'cut', legend_violation: 'violation',
  under_way: 'under way', lost: 'lost', order_note: 'Rows are steps in the order of the run; causes are the arrows.',
  compare_a: 'A', compare_b: 'B', compare_same: 'The two runs are the same.', compare_at: 'first difference: event {n}',
  whatif_title: 'What if, at event {n}…', whatif_kill: '{name} is killed here', whatif_power: '{name} loses power here',
  whatif_pause: '{name} is paused here for {ms} ms', whatif_partition: '{name} is cut off from all others here',
  whatif_delay: '{label} from {from} to {to} is delayed by {ms} ms, and what follows it',
  whatif_drop: '{label} from {from} to {to} is lost', whatif_break: 'the connection {from} – {to} breaks and loses {label}',
  whatif_ms: 'Milliseconds', whatif_choose: 'Choose what happens:', whatif_file: 'Scenario', whatif_command: 'Save it, then run:',
  whatif_none: 'Nothing can be changed here: the trace has no scenario.',
  whatif_expect: 'The expectations of the original are left out. Up to this event the run is the same.',
  not_known: 'This trace has no events.', nobody: 'nobody',
  tone_seeking: 'seeks a leader', tone_leading: 'leads', tone_following: 'follows', tone_observing: 'observes', tone_syncing: 'synchronizes',
  tone_other: 'runs', tone_client: 'client', tone_unknown: 'runs', tone_down: 'down', tone_absent: 'not started', paused: 'paused',
  kind_scripted: 'scripted', kind_observer: 'observer',
  mark_plain: '', mark_counted: 'counted', mark_empty: 'nothing received yet', mark_proposed: 'proposed, not durable', mark_durable: 'durable', mark_committed: 'committed', mark_gone: 'lost or discarded',
  say_started: '{node} starts', say_restarted: '{node} starts again', say_placed: '{node} runs from the beginning', say_stop: '{node} stops', say_kill: '{node} is killed',
  say_power_loss: '{node} loses power', say_exit: '{node} ends by itself: {reason}', say_paused: '{node} is paused', say_resumed: '{node} goes on', say_wiped: "{node}'s disk is emptied",
  say_sent: '{node} sends {label} to {receiver}', say_waiting: '{node} has {label} for {receiver}: no connection yet', say_transmitted: '{label} leaves {node} for {receiver}',
  say_delivered: '{node} receives {label} from {from}', say_lost: '{label} from {from} to {receiver} is lost: {reason}',
  say_connected: '{node} is connected to {peer} ({link})', say_refused: '{node} is refused by {peer} ({link})', say_closed: '{node} loses its connection to {peer} ({link})',
  say_broken: 'the connection {between} breaks ({link})', say_timer: "{node}'s timer {timer} fires", say_durable: '{node} learns that {key} is durable', say_age: '{node} learns the age of {key}: {ms} ms',
  say_written: '{node} writes {record}', say_synced: '{node} has {record} on disk', say_write_failed: '{node} fails to write {record}',
  say_cut: 'cut: {links}', say_healed: 'healed: {links}', say_held: 'held back: {selector}', say_released: 'released: {selector}',
  say_taken_up: '{node} is told to look again', say_skipped: 'skipped: {action}', say_set: 'the scenario sets {fields} of {node}', say_role: '{node}: {to} {phase}', say_phase: '{node} enters {phase}',
  keys: [
    ['→ j', 'next step'], ['← k', 'step back'], ['J K', 'next and previous step of the same node'], ['Home End', 'first and last step'], ['Space', 'play and pause'],
    ['n N', 'next and previous violation'], ['e E', 'next and previous election'], ['g', 'first difference of two runs'], ['c', 'panels of the other run'], ['1 … 9', 'select a node'],
    ['w', 'why? chain of causes, all possible causes, off'], ['x', 'what if? change what happens here'], ['/', 'search; Enter: next match, Shift Enter: the one before'], ['f', 'filter'], ['h', 'fold or show heartbeats'],
    ['d', 'light or dark'], ['l', 'English or Chinese'], ['?', 'this list'], ['Esc', 'close, or end "why?"'],
  ],
  signs: [
    ['●', 'a step of a node'], ['✕', 'a crash, or a message that is lost (dashed arrow)'], ['▷', 'a start'], ['□ ■ ✓ ✗', 'proposed, durable, committed, lost or discarded'],
    ['thick frame', 'counts towards the quorum'], ['dotted band', 'seeks a leader'], ['narrow band', 'synchronizes'], ['dashed line', 'down'],
  ],
  signs_title: 'Signs', to_step: 'Go to event {n}',
};

const chinese = {
  language: 'English',
  language_title: '用英文显示本页 (l)',
  theme: '深色', theme_light: '浅色', theme_title: '浅色或深色 (d)',
  help: '按键', help_title: '按键与符号 (?)',
  first: '第一步', last: '最后一步', back: '后退一步', next: '前进一步',
  play: '播放', pause: '暂停',
  election: '选举', election_title: '下一次选举 (e;上一次:E)',
  violation: '违反', violation_title: '下一处违反 (n;上一处:N)',
  no_violation: '没有违反任何不变式', no_election: '没有选举',
  difference: '差异', difference_title: '两次运行的第一处差异 (g)',
  search: '搜索', search_hint: '搜索 (/)', no_match: '没有匹配的步骤', matches: '{n} 个步骤匹配',
  filter: '筛选', filter_title: '选择显示的内容 (f)',
  filter_nodes: '泳道', filter_kinds: '事件种类', filter_fold: '折叠心跳',
  filter_matching: '只显示与搜索匹配的步骤', filter_all: '全部显示', close: '关闭',
  scrubber: '步骤', position: '事件 {event}/{last} · {time} 毫秒 · 步骤 {step}/{steps}',
  ladder: '运行的步骤', ladder_a: '运行 A 的步骤', ladder_b: '运行 B 的步骤',
  folded: '{n} 个步骤未显示;按 Enter 显示', lane: '{name} 的步骤',
  this_step: '这一步', changed: '发生的变化', unchanged: '没有状态字段改变。',
  more: '另有 {n} 项', appended: '追加', removed: '移除', none: '无',
  why: '为什么?', why_title: '突出这一步的原因:原因链、所有可能的原因、关闭 (w)',
  why_chain: '突出显示:原因链中的 {n} 个步骤', why_past: '突出显示:可能导致它的 {n} 个步骤',
  what_if: '如果…', what_if_title: '改变此处发生的事 (x)', link: '复制链接', copied: '已复制', copy: '复制',
  download: '保存文件', cause: '原因', causes: '导致',
  nodes: '节点', box: '计票', log: '日志', tally: '计入 {n}', quorum: '达到法定人数',
  disk: '磁盘', disk_synced: '全部已落盘', disk_pending: '尚未落盘:{what}', disk_lost: '断电时丢失:{what}',
  timers: '定时器', timer_in: '{timer},{ms} 毫秒后', state: '{name} 的全部状态', said: '最近', empty_log: '空',
  flight: '传输中的消息', flight_none: '没有传输中的消息。', from: '从', to: '到', message: '消息', since: '始于', age: '已历时',
  waiting: '等待连接', network: '网络', cut_now: '切断:{links}', held_now: '扣留:{what}',
  invariants: '不变式', held_all: '{n} 条在整个运行中成立', violated_here: '在这一步被违反',
  violated_at: '在事件 {n} 被违反', violated_later: '到此成立,在事件 {n} 被违反', not_exercised: '{n} 条未被检验',
  violated_run: '在本次运行中被违反', expectations: '预期', met_all: '{n} 条满足', failed_at: '在事件 {n} 不满足', failed: '不满足', undecided: '未决',
  invariants_none: '该记录没有列出不变式。',
  legend_election: '选举', legend_crash: '崩溃', legend_cut: '切断', legend_violation: '违反',
  under_way: '传输中', lost: '丢失', order_note: '各行按运行的先后排列;因果关系由箭头表示。',
  compare_a: 'A', compare_b: 'B', compare_same: '两次运行相同。', compare_at: '第一处差异:事件 {n}',
  whatif_title: '如果在事件 {n} 处…', whatif_kill: '{name} 在此被杀死', whatif_power: '{name} 在此断电',
  whatif_pause: '{name} 在此暂停 {ms} 毫秒', whatif_partition: '{name} 在此与其他所有节点隔离',
  whatif_delay: '{from} 发往 {to} 的 {label} 及其后的消息延迟 {ms} 毫秒',
  whatif_drop: '{from} 发往 {to} 的 {label} 丢失', whatif_break: '连接 {from} – {to} 中断,{label} 丢失',
  whatif_ms: '毫秒', whatif_choose: '选择发生的事:', whatif_file: '场景', whatif_command: '保存后运行:',
  whatif_none: '此处无法改变:该记录没有场景。',
  whatif_expect: '原场景的预期已去掉。到这个事件为止,运行不变。',
  not_known: '该记录没有事件。', nobody: '无',
  tone_seeking: '寻找领导者', tone_leading: '领导', tone_following: '跟随', tone_observing: '观察', tone_syncing: '同步中',
  tone_other: '运行中', tone_client: '客户端', tone_unknown: '运行中', tone_down: '停机', tone_absent: '未启动', paused: '暂停',
  kind_scripted: '脚本', kind_observer: '观察者',
  mark_plain: '', mark_counted: '计入', mark_empty: '尚未收到', mark_proposed: '已提议,未落盘', mark_durable: '已落盘', mark_committed: '已提交', mark_gone: '丢失或丢弃',
  say_started: '{node} 启动', say_restarted: '{node} 重新启动', say_placed: '{node} 从一开始就在运行', say_stop: '{node} 停止', say_kill: '{node} 被杀死',
  say_power_loss: '{node} 断电', say_exit: '{node} 自行结束:{reason}', say_paused: '{node} 被暂停', say_resumed: '{node} 继续运行', say_wiped: '{node} 的磁盘被清空',
  say_sent: '{node} 向 {receiver} 发送 {label}', say_waiting: '{node} 有发给 {receiver} 的 {label}:尚无连接', say_transmitted: '{label} 离开 {node} 发往 {receiver}',
  say_delivered: '{node} 收到 {from} 的 {label}', say_lost: '{from} 发往 {receiver} 的 {label} 丢失:{reason}',
  say_connected: '{node} 与 {peer} 建立连接({link})', say_refused: '{node} 被 {peer} 拒绝({link})', say_closed: '{node} 与 {peer} 的连接关闭({link})',
  say_broken: '连接 {between} 中断({link})', say_timer: '{node} 的定时器 {timer} 触发', say_durable: '{node} 得知 {key} 已落盘', say_age: '{node} 得知 {key} 的时长:{ms} 毫秒',
  say_written: '{node} 写入 {record}', say_synced: '{node} 的 {record} 已落盘', say_write_failed: '{node} 写入 {record} 失败',
  say_cut: '切断:{links}', say_healed: '恢复:{links}', say_held: '扣留:{selector}', say_released: '放行:{selector}',
  say_taken_up: '{node} 被要求重新寻找', say_skipped: '跳过:{action}', say_set: '场景设置 {node} 的 {fields}', say_role: '{node}:{to} {phase}', say_phase: '{node} 进入 {phase}',
  keys: [
    ['→ j', '前进一步'], ['← k', '后退一步'], ['J K', '同一节点的下一步和上一步'], ['Home End', '第一步和最后一步'], ['Space', '播放和暂停'],
    ['n N', '下一处和上一处违反'], ['e E', '下一次和上一次选举'], ['g', '两次运行的第一处差异'], ['c', '显示另一次运行的面板'], ['1 … 9', '选择节点'],
    ['w', '为什么?原因链、所有可能的原因、关闭'], ['x', '如果?改变此处发生的事'], ['/', '搜索;Enter:下一个,Shift Enter:上一个'], ['f', '筛选'], ['h', '折叠或显示心跳'],
    ['d', '浅色或深色'], ['l', '英文或中文'], ['?', '本列表'], ['Esc', '关闭,或结束"为什么"'],
  ],
  signs: [
    ['●', '节点的一步'], ['✕', '崩溃,或丢失的消息(虚线箭头)'], ['▷', '启动'], ['□ ■ ✓ ✗', '已提议、已落盘、已提交、丢失或丢弃'],
    ['粗框', '计入法定人数'], ['带点的色带', '寻找领导者'], ['窄色带', '同步中'], ['虚线', '停机'],
  ],
  signs_title: '符号', to_step: '转到事件 {n}',
};

const languages = { en: english, zh: chinese };

/** The words of a language: `say('matches', {n: 3})`. A field that is missing is left out. */
export function wordsOf(language) {
  const table = languages[language] || english;
  const say = (key, fields) => {
    const text = table[key];
    if (typeof text !== 'string') return '';
    return text.replace(/\{(\w+)\}/g, (_, name) => (fields && fields[name] !== undefined ? String(fields[name]) : '')).trim();
  };
  say.language = language in languages ? language : 'en';
  say.list = (key) => table[key];
  return say;
}

/** The languages that the page knows. */
export const languageNames = Object.keys(languages);

/** The keys that one language has and another lacks. */
export function missingWords() {
  return Object.keys(english).filter((key) => !(key in chinese)).concat(Object.keys(chinese).filter((key) => !(key in english)));
}

/** An identifier as words: `sender_down` becomes `sender down`. */
export function asWords(name) {
  return clean(name === undefined || name === null ? '' : String(name)).replaceAll('_', ' ');
}
