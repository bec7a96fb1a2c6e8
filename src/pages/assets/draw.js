// Draws the page from the data inside of it, with D3. What documents hold becomes text and numbers, never markup; what
// is missing or of another type than it should be is told as missing, and a part without its data is left out.
'use strict';
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Members of documents, which may come from files of other versions.
const member = (object, name) =>
  object !== null && typeof object === 'object' && Object.hasOwn(object, name) ? object[name] : undefined;
const num = (object, name) => { const value = member(object, name); return Number.isFinite(value) ? value : undefined; };
const text = (object, name) => { const value = member(object, name); return typeof value === 'string' ? value : ''; };
const list = (object, name) => { const value = member(object, name); return Array.isArray(value) ? value : []; };
const flag = (object, name) => member(object, name) === true;
const entries = object => object !== null && typeof object === 'object' ? Object.entries(object) : [];
const schema = document => /^sparsecast\/([\w-]+)\/1$/.exec(text(document, 'schema'))?.[1] ?? '';
const known = value => value !== undefined;
const both = (...values) => values.every(known);
const pick = (object, ...names) => Object.fromEntries(names.map(name => [name, num(object, name)]));
const by = key => (a, b) => key(a) - key(b);

// Numbers as people read them, with three digits; units as the command writes them.
const decimals = value => Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0;
const withUnit = (value, units) => {
  const [scale, name] = units.find(unit => Math.abs(value) >= 0.9995 * unit[0]) ?? units[units.length - 1];
  return (value / scale).toFixed(decimals(value / scale)) + ' ' + name;
};
const small = value => value.toFixed(value < 0.1 ? 3 : value < 100 ? 2 : 0);
const formats = {
  s: value => value === 0 ? '0 s' : withUnit(value, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']]),
  B: value => value < 1000 ? value.toFixed(0) + ' B' : withUnit(value, [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']]),
  n: value => Math.abs(value) < 9e18 ? Math.round(value).toLocaleString('en-US') : String(value),
  '%': value => (100 * value).toFixed(1) + ' %',
  x: value => small(value) + ' ×',
  gf: small,
  '': value => String(Number(value.toPrecision(4))),
};
const {s: seconds, B: bytes, n: count, '%': percent} = formats;
const secondsOr = (value, words) => known(value) ? seconds(value) : words;  // what is not known is no time of 0
const counted = (object, name) => count(num(object, name) ?? 0);
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

// h('p.note', {title: …}, text or element, …)
const h = (name, attributes = {}, ...content) => {
  const [tag, classes] = name.split('.');
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  for (const [key, value] of Object.entries(attributes)) if (known(value)) element.setAttribute(key, value);
  element.append(...content.flat().filter(one => one !== undefined && one !== null && one !== ''));
  return element;
};
const button = (label, does, title) => {
  const made = h('button', {type: 'button', title, 'aria-label': title}, label);
  made.onclick = does;
  return made;
};
const answer = (...content) => h('p.answer', {}, ...content);
const note = words => h('p.note', {}, words);
const strong = words => h('strong', {}, words);
const facts = pairs => h('dl.facts', {}, ...pairs.filter(([, value]) => value)
  .map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
const details = (summary, ...content) => h('details', {}, h('summary', {}, summary), ...content);
const save = (name, type, words) => {
  const link = h('a', {download: name});
  link.href = URL.createObjectURL(new Blob([words], {type}));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const fileName = () => document.title.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'sparsecast';

// Axes: D3's scales over [0, 1], with round numbers in the unit of their values. Logarithmic over the positive values
// with some room on both sides and at least a factor 1.5 wide, or from zero.
const ranged = (scale, unit) => Object.assign(value => value > 0 || !scale.base ? scale(value) : 0, {scale, unit});
const logarithmic = (values, unit) => {
  const positive = values.filter(value => value > 0 && Number.isFinite(value));
  const low = d3.min(positive) ?? 1, high = d3.max(positive) ?? 1;
  const room = Math.max((high / low) ** 0.04, Math.sqrt(Math.max(1, 1.5 * low / high)));
  return ranged(d3.scaleLog().domain([low / room, high * room]).range([0, 1]).clamp(true), unit);
};
const linear = (low, high, unit) =>
  ranged(d3.scaleLinear().domain([low, high > low ? high : low + 1]).range([0, 1]).clamp(true), unit);
const roundLabel = (value, unit) => formats[unit](value).replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');
const ticks = ({scale, unit}, most) => {
  const [low, high] = scale.domain();
  let values = d3.ticks(low, high, most);
  if (scale.base) {
    // The densest choice of steps in a decade that has room.
    const decades = steps => d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1)
      .flatMap(power => steps.map(step => Number(step + 'e' + power)))
      .filter(value => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
    values = decades([1]);
    for (const steps of [[1, 2, 5], [1, 1.5, 2, 3, 5], d3.range(1, 10)]) {
      const finer = decades(steps);
      if (finer.length > values.length && finer.length <= most) values = finer;
    }
    const step = Math.ceil(values.length / most);
    values = values.filter((value, i) => i % Math.max(1, step) === 0);
  }
  return values.map(value => ({value, label: roundLabel(value, unit)}));
};

const shapes = {
  circle: d3.symbol().type(d3.symbolCircle).size(64)(), diamond: 'M0-6L6 0 0 6-6 0z', cross: 'M-5-5L5 5M-5 5L5-5',
  triangle: 'M0-6L6 5-6 5z', square: 'M-5-5H5V5H-5z', star: d3.symbol().type(d3.symbolStar).size(64)(),
};
const styles = 8;
const style = number => 's' + number % styles;

// A picture with its title; its frame scrolls where the reader enlarges it.
const figure = (title, picture, words) => {
  const box = h('div.scroll zoomed', {tabindex: 0, role: 'group', 'aria-label': title}, picture);
  let zoom = 1;
  box.enlarge = by => {
    zoom = Math.max(1, Math.min(16, by ? zoom * by : 1));
    box.style.setProperty('--zoom', zoom);
    less.disabled = zoom === 1;
  };
  const less = button('−', () => box.enlarge(1 / 1.5), 'Smaller');
  const more = button('+', () => box.enlarge(1.5), 'Larger');
  box.enlarge(0);
  return h('figure', {}, h('figcaption', {}, title, h('span', {}, less, more)), box, words && note(words));
};

// Texts one below the other: as near to where they belong as the others let them.
const movedApart = (texts, apart, most) => {
  const sorted = [...texts].sort(by(one => one.y));
  sorted.forEach((one, i) => { one.place = i ? Math.max(one.y, sorted[i - 1].place + apart) : one.y; });
  for (const one of sorted.reverse()) most = (one.place = Math.min(one.place, most)) - apart;
  return sorted;
};

// Points and lines over two axes: x and y are {title, axis}; a point is {x, y, mark, style, tip, name}, a line {points,
// style, tip, name}, a bar {from, to, y, tip}. Drawn for the width that there is, and again when that changes.
const redraw = new ResizeObserver(changes => requestAnimationFrame(() => { for (const {target} of changes) target.draw(); }));
const plot = ({title, summary, words, x, y, height = 320, lines = [], points = [], notes = [], names = []}) => {
  const host = h('div.plot');
  host.draw = () => {
    const wide = host.clientWidth || 640, em = parseFloat(getComputedStyle(document.documentElement).fontSize);
    if (host.drawn === wide) return;
    host.drawn = wide;
    const left = 4.4 * em, right = (names.length ? 7.4 : 1.2) * em, top = 1.7 * em, tall = height / 16 * em;
    const w = Math.max(60, wide - left - right);
    const across = x.axis.scale.copy().range([0, w]), up = y.axis.scale.copy().range([tall, 0]);
    const svg = d3.create('svg').attr('viewBox', [-left, -top, left + w + right, top + tall + 3 * em].join(' '))
      .attr('role', 'img').attr('aria-label', summary ?? title);
    const axis = (made, one, most, classes) => {
      const values = ticks(one, most);
      return svg.append('g').attr('class', 'axis ' + classes)
        .call(made.tickValues(values.map(tick => tick.value)).tickFormat((value, i) => values[i].label).tickSizeOuter(0));
    };
    axis(d3.axisBottom(across).tickSizeInner(-tall), x.axis, Math.max(2, Math.min(8, w / (5 * em))), 'x')
      .attr('transform', `translate(0 ${tall})`);
    axis(d3.axisLeft(up).tickSizeInner(-w), y.axis, 7, 'y');
    const write = (words, at, down, classes, anchor = 'start') => svg.append('text').attr('class', classes)
      .attr('x', at).attr('y', down).attr('text-anchor', anchor).text(words);
    write(x.title, w, tall + 2.7 * em, 'axis-title', 'end');
    write(y.title, -left, -0.7 * em, 'axis-title');
    svg.selectAll('path.curve').data(lines).join('path').attr('class', one => 'curve ' + one.style)
      .attr('d', one => d3.line().x(at => across(at[0])).y(at => up(at[1]))(one.points))
      .attr('data-tip', one => one.tip ?? null);
    svg.selectAll('path.mark').data(points).join('path').attr('class', one => 'mark ' + one.style)
      .attr('d', one => shapes[one.mark]).attr('data-tip', one => one.tip)
      .attr('transform', one => `translate(${across(one.x)} ${up(one.y)})`);
    for (const one of movedApart(names.map(name => ({...name, y: up(name.y)})), em, tall - 0.6 * em)) {
      svg.append('path').attr('class', 'leader').attr('d', `M${across(one.x)} ${one.y}L${w} ${one.place}`);
      write(one.name, w + 5, one.place + 0.35 * em, 'name ' + (one.style ?? ''));
    }
    for (const one of movedApart(notes.map(about => ({...about, y: up(about.y)})), em, tall))
      write(one.name, 6, one.place - 0.4 * em, 'note');
    host.replaceChildren(svg.node());
  };
  redraw.observe(host);
  return figure(title, host, words);
};

// A value with its interval on a line, and what was measured: a picture in a column of a table.
const share = value => (100 * value).toFixed(3) + '%';
const track = (axis, forecast, measured, tip) => {
  const svg = d3.create('svg').attr('class', 'mark').attr('width', '100%').attr('height', 22).attr('data-tip', tip)
    .attr('role', 'img').attr('aria-label', tip);
  const line = (from, to, y1, y2, classes) => svg.append('line').attr('class', classes)
    .attr('x1', share(axis(from))).attr('x2', share(axis(to))).attr('y1', y1).attr('y2', y2);
  for (const {value} of ticks(axis, 4)) line(value, value, 0, 22, 'grid');
  for (const [{value, low, high}, wide, mark, classes] of
    [[forecast, 'interval', 'circle', 'forecast'], [measured, 'noise', 'diamond', 'measured']]) {
    if (both(low, high)) line(low, high, 11, 11, wide);
    if (known(value))
      svg.append('svg').attr('x', share(axis(value))).attr('y', 11).attr('overflow', 'visible')
        .append('path').attr('class', classes).attr('d', shapes[mark]);
  }
  return svg.node();
};
// Its scale, drawn where it stands: a label that would touch the one before it is left out.
const trackAxis = axis => {
  const host = h('div.scale', {'aria-hidden': true});
  host.draw = () => {
    const wide = host.clientWidth || 192, svg = d3.select(host).html('').append('svg').attr('width', '100%').attr('height', 16);
    let free = 0;
    for (const {value, label} of ticks(axis, 4)) {
      const at = axis(value);
      svg.append('line').attr('class', 'axis').attr('x1', share(at)).attr('x2', share(at)).attr('y1', 13).attr('y2', 16);
      const text = svg.append('text').attr('class', 'tick').attr('y', 11).text(label), half = text.node().getComputedTextLength() / 2;
      const middle = Math.max(half, Math.min(wide - half, at * wide));
      const touches = middle - half < free;
      if (touches) text.remove();
      else text.attr('text-anchor', 'middle').attr('x', share(middle / wide));
      free = touches ? free : middle + half + 8;
    }
  };
  redraw.observe(host);
  return host;
};

// Bars of parts side by side: {label, value, parts: [{share, style, text, tip}]}.
const part = (one, where) => h('span.mark part ' + style(one.style), {'data-tip': one.tip, style: where},
  one.text && h('b', {}, one.text));
const bars = (rows, long) => h('div.bars', long ? {'data-long': ''} : {}, ...rows.map(row => h('div.bar-row', {},
  h('span.bar-label', {}, row.label),
  h('div.stack', {}, ...row.parts.map(one => part(one, `width:${share(one.share)}`))), h('span.bar-value', {}, row.value))));
const legend = names => h('ul.legend', {}, ...names.map((name, i) =>
  h('li', {}, h('span.swatch ' + style(i), {'aria-hidden': true}), name)));

// Tables: columns are [name in saved tables, heading, unit or 'w' for words or 'track', help]; a row holds a value for
// each name, and may have a class. Columns that no row says anything in are left out. Each cell carries its exact value.
const mostRows = 500;
const empty = value => value === undefined || value === null || value === '';
const cellOf = (row, [name, , unit], i) => {
  const value = row[name], kind = unit === 'track' ? '.track' : unit === 'w' ? '.words' : '';
  const cell = (exact, ...content) => h((i ? 'td' : 'th') + kind, {scope: i ? undefined : 'row', 'data-v': exact}, ...content);
  if (typeof value === 'number' && Number.isFinite(value)) return cell(value, formats[unit === 'w' ? '' : unit](value));
  return empty(value) && unit !== 'w' ? cell(undefined, h('span.none', {}, '–')) : cell(undefined, value);
};
const csv = (columns, body) => {
  const quote = words => /[",\n]/.test(words) ? '"' + words.replace(/"/g, '""') + '"' : words;
  const saved = columns.flatMap(([, , unit], i) => unit === 'track' ? [] : [i]);
  const lines = [saved.map(i => columns[i][0])];
  for (const row of body.rows)
    lines.push(saved.map(i => row.cells[i].dataset.v ?? row.cells[i].textContent.replace(/^–$/, '')));
  return lines.map(line => line.map(quote).join(',') + '\n').join('');
};
const sortBy = heading => {
  const up = heading.getAttribute('aria-sort') !== 'ascending';
  for (const other of heading.parentNode.cells) other.removeAttribute('aria-sort');
  heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  const body = heading.closest('table').tBodies[0], column = heading.cellIndex;
  const key = row => { const {dataset, textContent} = row.cells[column]; return dataset.v ? +dataset.v : textContent; };
  const unknown = row => key(row) === '–';
  const order = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b
    : typeof a === 'number' ? -1 : typeof b === 'number' ? 1 : a.localeCompare(b, 'en', {numeric: true});
  body.append(...[...body.rows].sort((a, b) => unknown(a) - unknown(b) || (up ? 1 : -1) * order(key(a), key(b))));
};
const table = (id, caption, columns, rows, axis) => {
  if (!rows.length) return undefined;
  const used = columns.filter(([name], i) => i === 0 || rows.some(row => !empty(row[name])));
  const body = h('tbody', {}, ...rows.slice(0, mostRows).map(row =>
    h('tr', {class: row.class || undefined}, ...used.map((column, i) => cellOf(row, column, i)))));
  const head = used.map(([name, heading, unit, help]) => {
    if (unit === 'track') return h('th.track', {scope: 'col'}, heading, trackAxis(axis));
    const made = h(unit === 'w' ? 'th.words' : 'th', {scope: 'col', title: help, 'data-name': name});
    made.append(button(heading || 'remark', () => sortBy(made)));
    return made;
  });
  const saved = () => save(`${fileName()}-${id}.csv`, 'text/csv', csv(used, body));
  return h('div.table', {},
    h('div.scroll', {tabindex: 0, role: 'region', 'aria-label': caption}, h('table', {id},
      h('caption', {}, caption, button('CSV', saved, 'Save this table as CSV')), h('thead', {}, h('tr', {}, ...head)), body)),
    rows.length > mostRows &&
      note(`${count(mostRows)} of ${count(rows.length)} rows; the data in this page holds all`) || undefined);
};
const rowsOf = (items, columns, more = () => ({})) => items.map(item => ({
  ...Object.fromEntries(columns.map(([name, , unit]) => [name, unit === 'w' ? text(item, name) : num(item, name)])),
  ...more(item)}));
