'use strict';
// Two documents side by side: where documents of a schema hold times, what names an entry, the time and its interval.

const timesOf = [
  ['predict', 'Forecasts', 'forecasts', ['kernel', 'model'], 'seconds', 'low_s', 'high_s'],
  ['measure', 'Measured times', 'measurements', ['kernel'], 'seconds', 'low_s', 'high_s'],
  ['evaluate', 'Measured times', 'cases', ['matrix', 'kernel'], 'measured_s', 'spread'],
  ['evaluate', 'Forecasts', 'cases', ['matrix', 'kernel', 'model'], 'predicted_s', 'low_s', 'high_s'],
  ['evaluate', 'Mean errors', 'summary', ['kernel', 'model'], 'mean_error'],
  ['optimize', 'Single kernels', 'singles', ['kernel'], 'seconds'],
  ['optimize', 'Single kernels, measured', 'singles', ['kernel'], 'measured_s'],
  ['compare', 'Machines', 'ranking', ['device'], 'seconds', 'low_s', 'high_s'],
  ['cluster-predict', 'Forecasts', 'forecasts', ['way', 'format', 'processes', 'model'], 'seconds'],
  ['cluster-measure', 'Measured times', 'measurements', ['way', 'format', 'processes'], 'seconds', 'low_s', 'high_s'],
  ['traffic', 'Loaded bytes', 'regions', ['name'], 'wsl_bytes'],
  ['traffic', 'Times', 'regions', ['name'], 'seconds'],
  ['kernel', 'Times by model', 'estimates', ['model'], 'seconds']];
// Documents with lists of documents, as pages and "predictions" are, taken apart: [schema, subject, document, the one
// that holds it].
const takenApart = (document, outermost = true) => {
  const name = schema(document), several = (items, as) =>
    items.map(one => [as, text(member(one, 'matrix') ?? one, 'name') || text(one, 'matrix'), one, document]);
  if (name === 'page') return outermost ? list(document, 'documents').flatMap(one => takenApart(one, false)) : [];
  if (name === 'predictions') return several(list(document, 'predictions'), 'predict');
  if (name === 'measures') return several(list(document, 'measures'), 'measure');
  if (name === 'compare') return several(list(document, 'matrices'), 'compare');
  if (name === 'traffic') return [[name, '', document, document]];  // two versions of a program have two names
  return several([document], name).map(one => member(document, 'matrix') === undefined ? [name, '', document, document] : one);
};
// What a time rests on beside its name. Where that differs, so does the time, and nothing became faster or slower.
const conditions = [...['rows', 'cols', 'nonzeros'].map(name => [name, one => num(member(one, 'matrix') ?? one, name) ?? num(one, name)]),
  ...['device', 'cluster'].map(name => [name, one => text(member(one, name), 'name') || text(one, name)]),
  ...['kernel', 'precision', 'storage', 'solver'].map(name => [name, one => text(one, name)]),
  ...['threads', 'vectors', 'iterations', 'instances'].map(name => [name, one => num(one, name)]), ['transposed', one => member(one, 'transposed') === undefined ? '' : flag(one, 'transposed') ? 'yes' : 'no']];
const conditionsOf = (one, holder) => conditions.map(([name, of]) => {
  const value = [of(one), of(holder)].find(found => !empty(found));
  return [name, typeof value === 'number' ? count(value) : value ?? 'none'];
});
const otherConditions = (then, now) => {
  const was = new Map(conditionsOf(...then));
  const differ = conditionsOf(...now).filter(([name, value]) => was.get(name) !== value).map(([name, value]) => `${name}: ${was.get(name)} before, ${value} after`);
  return differ.length ? note('Not under the same conditions, so that a ratio is no gain or loss. ' + differ.join('; ')) : '';
};
const intervals = (document, [, , where, keys, value, low, high]) => new Map(list(document, where).flatMap(entry => {
  const time = num(entry, value), spread = low === 'spread' ? num(entry, low) : undefined;
  if (!(time > 0)) return [];
  // A median absolute deviation: twice that much of normal noise is a little over 80 %.
  const ends = known(spread) ? [time * Math.max(0.01, 1 - 2 * spread), time * (1 + 2 * spread)]
    : high && both(num(entry, low), num(entry, high)) ? [num(entry, low), num(entry, high)] : [];
  const name = keys.map(one => known(num(entry, one)) ? counted(entry, one) : text(entry, one)).filter(Boolean).join(', ');
  return [[name, {value: time, low: Math.min(time, ends[0] ?? time), high: Math.max(time, ends[1] ?? time), known: ends[0] > 0}]];
}).reverse());
const changesPart = (id, title, was, is, value) => {
  const unit = value.endsWith('bytes') ? 'B' : value.endsWith('error') ? '%' : 's', timed = unit === 's';
  const changes = [...is].reverse().filter(([name]) => was.has(name)).map(([name, now]) => {
    const then = was.get(name), sure = then.known && now.known, ratio = now.value / then.value;
    const low = now.low / then.high, high = now.high / then.low;
    const verdict = sure && low <= 1 && high >= 1 ? 0 : Math.sign(ratio - 1) || 2;
    return {key: name, before: then.value, after: now.value, ratio, ratio_low: sure ? low : undefined, ratio_high: sure ? high : undefined,
      side: verdict, class: {[-1]: 'less', 1: 'more'}[verdict] ?? '',
      verdict: {[-1]: timed ? 'faster' : 'less', 0: 'within the noise', 1: timed ? 'slower' : 'more', 2: 'the same'}[verdict]};
  });
  if (!changes.length) return undefined;
  const axis = logarithmic([0.9, 1.1, ...changes.flatMap(one => [one.ratio, one.ratio_low, one.ratio_high].filter(known))], 'x');
  const of = side => changes.filter(one => one.side === side).length, only = (here, there) => [...here.keys()].filter(name => !there.has(name)).join('; ');
  for (const one of changes)
    one.track = track(axis, {value: one.ratio, low: one.ratio_low, high: one.ratio_high}, {},
      `${one.key}: ${formats[unit](one.after)} instead of ${formats[unit](one.before)}, ${Number(one.ratio.toPrecision(3))} ×`);
  return [answer(strong(formats.x(Math.exp(d3.mean(changes, one => Math.log(one.ratio))))), ` in the geometric mean of ${count(changes.length)}: ` +
    `${of(-1)} lower, ${of(1)} higher, ${of(0)} within the noise${of(2) ? `, ${of(2)} the same` : ''}.`),
  table(id, title, [['key', 'of', 'w'], ['track', 'after over before', 'track'], ['before', 'before', unit], ['after', 'after', unit],
    ['ratio', 'ratio', 'x', 'after over before: below 1 is less'], ['ratio_low', 'from', 'x', 'if both ends of the intervals go against each other'],
    ['ratio_high', 'to', 'x'], ['verdict', '', 'w']], changes, axis),
  only(was, is) && note('Only before: ' + only(was, is)), only(is, was) && note('Only after: ' + only(is, was))];
};
const comparison = (before, after) => {
  const old = takenApart(before), parts = [], seen = new Map();
  for (const [name, subject, now, holder] of takenApart(after)) {
    // Of several with one name the first is compared with the first, and so on.
    const same = old.filter(one => one[0] === name && one[1] === subject), which = seen.get(name + '\n' + subject) ?? 0;
    seen.set(name + '\n' + subject, which + 1);
    const [, , then, held] = same[Math.min(which, same.length - 1)] ?? [];
    for (const times of then ? timesOf.filter(one => one[0] === name) : []) {
      const id = 'changes' + parts.length, title = (subject && subject + ': ') + times[1];
      const made = changesPart(id, title, intervals(then, times), intervals(now, times), times[4]);
      if (made) parts.push({id: id + '-top', title, content: [otherConditions([then, held], [now, holder]), ...made]});
    }
  }
  return parts.length ? parts : [{id: 'none', title: 'Nothing to compare', content: note('The two documents have no times in common.')}];
};

// The page.

// Which documents speak of one matrix on one device, so that measured joins forecast.
const kinds = ['predict', 'measure', 'optimize'];
const deviceOf = m => text(member(kinds.map(kind => m[kind]).find(known), 'device'), 'name');
const byMatrix = (data, spies) => {
  const found = [];
  // One of a list belongs to the first that waits for it, a document by itself to the last: two matrices may share all.
  const place = (document, kind, at, alone) => {
    const matrix = member(document, 'matrix'), device = text(member(document, 'device'), 'name');
    if (![...kinds, 'info'].includes(kind) || matrix === null || typeof matrix !== 'object') return;
    const same = JSON.stringify(matrix);
    const waiting = found.filter(one => one.same === same && !one[kind] && (!device || !deviceOf(one) || deviceOf(one) === device));
    let m = waiting.at(alone ? -1 : 0);
    if (!m || kind === 'info') {
      const namesakes = found.filter(one => one.same === same && !(device && deviceOf(one) && deviceOf(one) !== device)).length, name = text(matrix, 'name');
      found.push(m = {matrix, same, name: namesakes ? `${name} (${namesakes + 1})` : name, prefix: `m${found.length + 1}-`});
    }
    m[kind] = document;
    if (kind === 'info') m.spy = Object.hasOwn(spies, at) ? spies[at] : undefined;
  };
  list(data, 'documents').forEach((document, at) => {
    for (const one of list(document, 'predictions')) place(one, 'predict');
    for (const one of list(document, 'measures')) place(one, 'measure');
    place(document, schema(document), at, true);
  });
  for (const m of found) m.machine = list(data, 'machines').find(machine => text(machine, 'name') === deviceOf(m));
  return found;
};
const overviewPart = matrices => {
  const rows = matrices.map(m => {
    const own = kernelRows(m), recommended = text(member(m.predict, 'recommended'), 'kernel');
    const {seconds: time, low_s, high_s, measured_s, error} = own.find(row => row.kernel === recommended) ?? {};
    const fastest = own.filter(row => known(row.measured_s)).sort(by(row => row.measured_s))[0];
    return {matrix: m.name, ...pick(m.matrix, 'rows', 'cols', 'nonzeros'), recommended, seconds: time, low_s, high_s, measured_s, error,
      fastest: fastest?.kernel, fastest_s: fastest?.measured_s, blocks: m.optimize && list(m.optimize, 'strategy').length,
      ...pick(m.optimize, 'gain', 'measured_gain')};
  });
  const axis = logarithmic(rows.flatMap(row => [row.seconds, row.low_s, row.high_s, row.fastest_s].filter(known)), 's');
  for (const row of rows)
    row.track = track(axis, {value: row.seconds, low: row.low_s, high: row.high_s}, {value: row.measured_s ?? row.fastest_s}, row.matrix);
  return table('matrices', 'Matrices', [['matrix', 'matrix', 'w'], ['track', 'time of one product', 'track'], ['rows', 'rows', 'n'], ['cols', 'columns', 'n'],
    ['nonzeros', 'non-zeros', 'n'], ['recommended', 'recommended', 'w'], ['seconds', 'forecast', 's'], ['low_s', 'from', 's'], ['high_s', 'to', 's'],
    ['measured_s', 'measured', 's'], ['error', 'error', '%'], ['fastest', 'fastest measured', 'w'], ['fastest_s', 'its time', 's'],
    ['blocks', 'blocks of the plan', 'n'], ['gain', 'gain of the best cut', '%'], ['measured_gain', 'measured gain of the plan', '%']], rows, axis);
};
// A part that cannot be drawn says so and leaves the others.
const drawn = make => {
  try { return [make()].flat().filter(one => !empty(one)); } catch (error) { return [h('p.note failed', {}, `This part could not be drawn: ${error.message}`)]; }
};
const matrixPart = m => {
  const one = kinds.map(kind => m[kind]).find(known), vectors = num(one, 'vectors'), threads = num(one, 'threads');
  const cards = matrixParts.slice(1).flatMap(([title, make, narrow]) => {
    const content = drawn(() => make(m));
    return content.length ? [h(narrow ? 'section.card' : 'section.card wide', {}, h('h3', {}, title), ...content)] : [];
  });
  return [h('p.meta', {}, `${counted(m.matrix, 'rows')} × ${counted(m.matrix, 'cols')}, ${counted(m.matrix, 'nonzeros')} non-zeros` +
    (one ? `, on ${text(member(one, 'device'), 'name')}${threads > 0 ? ` with ${plural(threads, 'thread')}` : ''} in ${text(one, 'precision')} precision` + (vectors > 1 ? `, ${count(vectors)} vectors at once` : '') +
      (flag(one, 'transposed') ? ', transposed' : '') : '')), ...drawn(() => answerPart(m)), h('div.cards', {}, ...cards)];
};
const whereMade = data => [`sparsecast ${text(data, 'version')}`, text(data, 'made'), text(data, 'host') && 'on ' + text(data, 'host')].filter(Boolean).join(', ') +
  list(data, 'machines').map(machine => {
    const threads = num(machine, 'threads'), tier = {shipped: ', not calibrated', probe: ', by a probe of it', 'data sheet': ', by its data sheet', anchors: ', by its data sheet and products measured there',
      table: ', by a table of products measured there'}[text(machine, 'tier')] ?? '';
    return '; ' + [text(machine, 'name'), text(machine, 'model')].filter(Boolean).join(': ') + (threads > 0 ? ', ' + plural(threads, 'thread') : '') + tier;
  }).join('');
const partsOf = (data, pictures) => {
  const before = member(data, 'before'), after = member(data, 'after');
  if (before && after && typeof before === 'object' && typeof after === 'object') return comparison(before, after);
  const matrices = byMatrix(data, pictures.spies), parts = matrices.map(m => ({id: m.prefix + 'top', title: m.name, content: matrixPart(m)}));
  if (matrices.length > 1) parts.unshift({id: 'overview', title: 'Overview', content: drawn(() => overviewPart(matrices))});
  list(data, 'documents').forEach((document, d) => documentParts.filter(([of]) => of === schema(document)).forEach(([, title, make], i) => {
    const content = drawn(() => make(document, `d${d + 1}-`, data));
    if (content.length) parts.push({id: `d${d + 1}-s${i + 1}`, title, content});
  }));
  return [...parts, ...pictures.drawings.map((one, i) => ({id: 'drawing' + i, title: one.title, content:
    [figure(one.title, h('img.drawing', {alt: one.title, src: 'data:image/svg+xml;base64,' + one.svg}))]}))];
};
const drawPage = (data, pictures) => {
  const parts = partsOf(data, pictures), asked = text(data, 'asked');
  const saved = button('Save the data (JSON)', () =>
    save(fileName() + '.json', 'application/json', JSON.stringify(data, null, 2) + '\n'));
  saved.dataset.save = 'json';
  document.getElementById('about').replaceChildren(...(asked ? [h('p.meta', {}, h('code', {}, asked))] : []), h('p.meta', {}, whereMade(data)),
    h('div.tools', {}, saved),
    ...(parts.length > 1 ? [h('nav', {'aria-label': 'Contents'}, h('ul', {}, ...parts.map(one => h('li', {}, h('a', {href: '#' + one.id}, one.title)))))] : []));
  document.getElementById('main').replaceChildren(...parts.map(one => h('section', {id: one.id}, h('h2', {}, one.title), ...[one.content].flat().filter(made => !empty(made)))));
  for (const host of all('.plot')) host.draw();
};

// What a mark says, to the pointer, the finger and the arrow keys.
const tip = h('div.tip', {id: 'tip', hidden: '', role: 'status'});
document.body.append(tip);
const showTip = (mark, x, y) => {
  tip.textContent = mark.dataset.tip;
  tip.hidden = false;
  const size = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - size.width - 4)) + 'px';
  tip.style.top = (y + 18 + size.height > innerHeight ? Math.max(4, y - size.height - 10) : y + 18) + 'px';
};
const hideTip = () => { tip.hidden = true; for (const mark of all('.at')) mark.classList.remove('at'); };
const step = (box, by) => {
  const marks = all('[data-tip]', box), now = marks.findIndex(mark => mark.classList.contains('at'));
  if (!marks.length) return;
  hideTip();
  const mark = marks[now < 0 ? (by > 0 ? 0 : marks.length - 1) : (now + by + marks.length) % marks.length];
  mark.classList.add('at');
  const place = mark.getBoundingClientRect();
  showTip(mark, place.left + place.width / 2, place.top + place.height / 2);
};
addEventListener('pointermove', event => {
  const mark = event.target.closest && event.target.closest('[data-tip]');
  if (mark) showTip(mark, event.clientX, event.clientY); else if (!tip.hidden && !all('.at').length) hideTip();
});
addEventListener('scroll', hideTip, {passive: true});
addEventListener('focusout', hideTip);
addEventListener('keydown', event => {
  const box = event.target.closest && event.target.closest('.zoomed');
  const does = box && {ArrowRight: () => step(box, 1), ArrowLeft: () => step(box, -1), Escape: hideTip,
                       '+': () => box.enlarge(1.5), '-': () => box.enlarge(1 / 1.5), '0': () => box.enlarge(0)}[event.key];
  if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  does();
});
addEventListener('beforeprint', () => { for (const one of all('details')) one.open = true; });

const inside = id => JSON.parse(document.getElementById(id).textContent);
drawPage(inside('data'), inside('pictures'));
