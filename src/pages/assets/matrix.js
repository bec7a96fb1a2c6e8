'use strict';
// One matrix: what is forecast and what was measured of each kernel, its plan, itself.

// In the order of the forecasts, then what was only measured.
const kernelRows = m => {
  const rows = list(m.predict, 'forecasts').map(forecast => ({
    kernel: text(forecast, 'kernel'), model: text(forecast, 'model'), forecast, ...pick(forecast, 'seconds', 'low_s', 'high_s')}));
  for (const measurement of list(m.measure, 'measurements')) {
    const kernel = text(measurement, 'kernel');
    const found = {measurement, measured_s: num(measurement, 'seconds'), measured_low_s: num(measurement, 'low_s'),
                   measured_high_s: num(measurement, 'high_s')};
    const same = rows.filter(row => row.kernel === kernel);
    for (const row of same) Object.assign(row, found);
    if (!same.length) rows.push({kernel, model: '', ...found});
  }
  for (const row of rows) {
    if (both(row.seconds, row.measured_s)) row.error = row.seconds / row.measured_s - 1;
    if (both(row.measured_s, row.low_s, row.high_s))
      row.in_interval = row.measured_s >= row.low_s && row.measured_s <= row.high_s ? 'yes' : 'no';
  }
  return rows;
};

const sayForecast = predict => {
  const chosen = member(predict, 'recommended'), kernel = text(chosen, 'kernel'), time = num(chosen, 'seconds');
  if (!kernel || !known(time)) return ['No kernel has a forecast. '];
  const said = ['Use ', strong(kernel), ': ', strong(seconds(time)), ' a product'];
  const found = list(predict, 'forecasts').find(one => text(one, 'kernel') === kernel && num(one, 'seconds') === time);
  const {low_s, high_s, gflops} = pick(found, 'low_s', 'high_s', 'gflops');
  if (both(low_s, high_s)) said.push(` (${seconds(low_s)} to ${seconds(high_s)} with 90 %)`);
  if (known(gflops)) said.push(`, ${Number(gflops.toPrecision(3))} GFLOP/s`);
  if (flag(found, 'extrapolated')) said.push(', extrapolated beyond what was measured');
  return [...said, `; ${text(chosen, 'reason')}. `];
};

const sayMeasured = m => {
  const timed = list(m.measure, 'measurements').filter(one => known(num(one, 'seconds')));
  if (!timed.length) return [];
  const fastest = [...timed].sort(by(one => num(one, 'seconds')))[0];
  const kernel = text(fastest, 'kernel'), time = num(fastest, 'seconds');
  const said = ['Measured, ', strong(kernel), ' is the fastest with ', strong(seconds(time)), '. '];
  const chosen = text(member(m.predict, 'recommended'), 'kernel');
  const row = kernelRows(m).find(one => one.kernel === chosen && known(one.error));
  if (row)
    said.push(`${chosen} was forecast ${percent(Math.abs(row.error))} ${row.error > 0 ? 'above' : 'below'} what was measured`,
      chosen === kernel ? '. ' : ` and takes ${(row.measured_s / time).toFixed(2)} times as long as it. `);
  return said;
};

const sayPlan = optimize => {
  const blocks = list(optimize, 'strategy'), reason = text(optimize, 'reason'), gain = num(optimize, 'gain');
  if (!blocks.length) return [];
  const measured = num(optimize, 'measured_gain');
  const said = blocks.length === 1 ? [`The plan is one kernel for all rows, ${text(blocks[0], 'kernel')}: ${reason}. `]
    : ['The plan cuts the rows into ', strong(`${blocks.length} blocks`),
       known(gain) ? `, forecast to ${gain < 0 ? 'lose' : 'gain'} ${percent(Math.abs(gain))}` : '', `: ${reason}. `];
  if (known(measured))
    said.push(flag(optimize, 'measured_gain_in_noise')
      ? 'Measured against the best single kernel the difference is within the noise. '
      : `Measured, it gains ${percent(measured)} over the best single kernel. `);
  return said;
};

// What the forecasts rest on, where that is less, or more, than a calibration of this device; and whether it holds now.
const basis = {shipped: 'shipped models; this device was not calibrated', probe: 'a probe of this device', 'data sheet': 'a data sheet; nothing was measured there',
  anchors: 'a data sheet and products measured there', table: 'a table of products measured there', observed: 'measurements of this matrix here'};
const basisNote = m => {
  const forecasts = list(m.predict, 'forecasts'), chosen = text(member(m.predict, 'recommended'), 'kernel');
  const on = basis[text(forecasts.find(one => text(one, 'kernel') === chosen) ?? forecasts[0], 'tier') || text(m.optimize, 'tier')];
  const drift = [m.predict, m.optimize].map(one => member(one, 'drift')).find(one => flag(one, 'seen')), ratio = num(drift, 'ratio');
  return [on && `Forecasts rest on ${on}.`, drift && `The machine does not run as it did when it was calibrated${known(ratio) ? `: products take ${formats.x(ratio)} their time` : ''}.`]
    .filter(Boolean).join(' ');
};
const answerPart = m => {
  const said = [m.predict ? sayForecast(m.predict) : [], sayMeasured(m), sayPlan(m.optimize)].flat(), rests = basisNote(m);
  return said.length ? [answer(...said), rests ? note(rests) : ''] : undefined;
};

const within = (what, value, low, high, how) => !known(value) ? ''
  : `\n${what} ${seconds(value)}` + (both(low, high) ? ` (${how} ${seconds(low)} – ${seconds(high)})` : '');
const kernelColumns = [
  ['kernel', 'kernel', 'w'], ['track', 'time of one product', 'track'], ['seconds', 'forecast', 's'],
  ['low_s', 'from', 's', 'lower end of the 90 % interval'], ['high_s', 'to', 's', 'upper end of the 90 % interval'],
  ['measured_s', 'measured', 's'], ['measured_low_s', '5 %', 's', 'of the measured times'],
  ['measured_high_s', '95 %', 's', 'of the measured times'], ['error', 'error', '%', 'forecast over measured, less one'],
  ['in_interval', 'inside', 'w', 'whether the measured time lies in the 90 % interval'], ['gflops', 'GFLOP/s', 'gf'],
  ['bytes', 'storage', 'B'], ['preprocess_s', 'conversion', 's'], ['preprocess_measured_s', 'measured conversion', 's'],
  ['total_s', 'in all', 's', 'conversion and the products asked for'], ['bound_by', 'bound by', 'w'],
  ['model', 'model', 'w'], ['remark', '', 'w']];
const key = (mark, band, words) => {
  const svg = d3.create('svg').attr('width', 46).attr('height', 14).attr('aria-hidden', true);
  svg.append('line').attr('class', band).attr('x1', 4).attr('x2', 42).attr('y1', 7).attr('y2', 7);
  svg.append('path').attr('class', mark === 'circle' ? 'forecast' : 'measured').attr('d', shapes[mark])
    .attr('transform', 'translate(23 7)');
  return [svg.node(), ` ${words} `];
};
const kernelsPart = m => {
  const rows = kernelRows(m), shortest = row => Math.min(row.seconds ?? Infinity, row.measured_s ?? Infinity);
  if (!rows.length) return undefined;
  // A kernel that is many times slower would leave nothing to see of the others.
  const last = 8 * d3.min(rows, shortest);
  const axis = logarithmic(rows.filter(row => shortest(row) <= last)
    .flatMap(row => [row.seconds, row.low_s, row.high_s, row.measured_s].filter(known)), 's');
  const chosen = text(member(m.predict, 'recommended'), 'kernel');
  const status = row => row.measurement && !known(row.measured_s) ? text(row.measurement, 'status').replace(/^ok$/, '') || 'no time' : '';
  const shown = rows.filter(row => known(row.seconds) || known(row.measured_s)).map(row => {
    const main = row.forecast ?? row.measurement;
    const tip = row.kernel + (row.model && ', ' + row.model) + within('forecast', row.seconds, row.low_s, row.high_s, '90 %:') +
      within('measured', row.measured_s, row.measured_low_s, row.measured_high_s, '5 % – 95 %:') +
      (known(row.error) ? `\nerror ${row.error >= 0 ? '+' : ''}${(100 * row.error).toFixed(1)} %` : '');
    return {...row, ...pick(main, 'gflops', 'total_s'), ...pick(row.forecast, 'bytes', 'preprocess_s'),
      track: shortest(row) > last ? h('span.beyond', {}, 'beyond →') : track(axis,
        {value: row.seconds, low: row.low_s, high: row.high_s},
        {value: row.measured_s, low: row.measured_low_s, high: row.measured_high_s}, tip),
      preprocess_measured_s: num(row.measurement, 'preprocess_s'), bound_by: text(row.forecast, 'bound_by'),
      remark: flag(row.forecast, 'extrapolated') ? 'extrapolated' : text(row.forecast, 'tier') === 'observed' ? 'measured here' : '', class: row.kernel === chosen ? 'chosen' : ''};
  });
  const missing = rows.filter(status).map(row => ({kernel: row.kernel, reason: status(row)}));
  const wordsBelow = h('p.marks', {}, m.predict ? key('circle', 'interval', 'forecast with its 90 % interval') : '',
    m.measure ? key('diamond', 'noise', 'measured, 5 % to 95 %') : '', chosen && `; ${chosen} is recommended`);
  return [wordsBelow, table(m.prefix + 'kernels', 'Kernels on ' + m.name, kernelColumns, shown, axis), missing.length ?
    details('Not measured', table(m.prefix + 'missing', 'Not measured', [['kernel', 'kernel', 'w'], ['reason', 'reason', 'w']], missing)) : ''];
};

// A matrix over its rows: where its entries are, how many there are, and who multiplies which rows.
const kernelOf = block => text(block, 'kernel') + (flag(block, 'reordered') ? ', rows sorted' : '');
const rowMap = (m, blocks) => {
  const rows = num(m.matrix, 'rows') ?? 0, cols = num(m.matrix, 'cols') ?? 0;
  if (!(rows > 0) || !(m.spy || blocks.length)) return undefined;
  const drawn = blocks.slice(0, 400), kernels = [...new Set(drawn.map(kernelOf))];
  const first = block => num(block, 'first_row') ?? 0, last = block => num(block, 'last_row') ?? 0;
  const columns = [];
  if (m.spy)
    columns.push(['entries', h('div.spy', {},
      h('img', {alt: `Where the entries of ${m.name} are: the darker, the more`, src: 'data:image/png;base64,' + m.spy}),
      ...drawn.slice(1).map(block => h('i.cut-line', {style: `top:${share(first(block) / rows)}`})))]);
  const counts = list(member(m.info, 'structure'), 'block_nonzeros').map(value => Number.isFinite(value) ? value : 0);
  if (counts.length) {
    const svg = d3.create('svg').attr('width', '100%').attr('height', '100%').attr('role', 'img')
      .attr('aria-label', 'non-zeros over the rows');
    svg.selectAll('rect').data(counts).join('rect').attr('class', 'mark bar').attr('y', (value, i) => share(i / counts.length))
      .attr('width', value => share(Math.max(0, value) / Math.max(1, d3.max(counts)))).attr('height', share(1 / counts.length))
      .attr('data-tip', value => `${count(value)} non-zeros`);
    columns.push(['non-zeros', h('div.density', {}, svg.node())]);
  }
  if (blocks.length)
    columns.push(['kernel of the rows', h('div.cut', {}, ...drawn.map(block => {
      const tall = (last(block) + 1 - first(block)) / rows;
      return part({style: kernels.indexOf(kernelOf(block)), text: tall > 0.045 ? kernelOf(block) : '',
                   tip: `${kernelOf(block)}\nrows ${count(first(block))} – ${count(last(block))}\n` +
                        secondsOr(num(block, 'seconds'), 'no time known of') + ' a product'},
        `top:${share(first(block) / rows)};height:${share(tall)}`);
    }))]);
  const shape = m.spy ? Math.max(0.6, Math.min(2.5, cols / rows)) : 0.6;
  return h(m.spy ? 'div.row-map' : 'div.row-map no-spy', {style: `--shape:${shape}`},
    h('div.row-map-heads', {}, ...columns.map(([head]) => h('span', {}, head))),
    h('div.row-map-parts', {}, ...columns.map(([, content]) => content)),
    h('div.row-map-rows', {}, h('span', {}, 'row 0'), h('span', {}, count(rows - 1))));
};

const blockColumns = [['first_row', 'first row', 'n'], ['last_row', 'last row', 'n'], ['kernel', 'kernel', 'w'],
  ['reordered', 'order', 'w'], ['seconds', 'forecast', 's'], ['conversion_s', 'conversion', 's']];
const blockTable = (m, id, caption, blocks) => table(m.prefix + id, caption, blockColumns,
  rowsOf(blocks, blockColumns, block => ({reordered: flag(block, 'reordered') ? 'rows sorted' : ''})));
const planPart = m => {
  const plan = m.optimize, blocks = list(plan, 'strategy'), cut = list(plan, 'best_cut');
  if (!blocks.length) return undefined;
  const pays = num(plan, 'break_even') ?? 0;
  const {measured_gain: gain, measured_gain_low: low, measured_gain_high: high} =
    pick(plan, 'measured_gain', 'measured_gain_low', 'measured_gain_high');
  const words = `${plural(num(plan, 'strips') ?? 0, 'strip')} of ${counted(plan, 'strip_rows')} rows; ${text(plan, 'reason')}.` +
    (pays > 0 ? ` Its conversion pays from ${count(pays)} products on, against CSR.`
      : pays === -1 ? ' Its conversion never pays against CSR.' : '') +
    (both(gain, low, high) ? ` Measured over ${counted(plan, 'rounds')} rounds the plan gains ${percent(gain)} ` +
      `(${percent(low)} to ${percent(high)})${flag(plan, 'measured_gain_in_noise') ? ', which is within the noise' : ''}.` : '');
  const columns = [['kernel', 'choice', 'w'], ['seconds', 'forecast', 's'], ['conversion_s', 'conversion', 's'],
    ['measured_s', 'measured', 's'], ['status', '', 'w']];
  const singles = [{kernel: 'the plan', class: 'chosen', seconds: num(plan, 'predicted_s'),
                    ...pick(plan, 'conversion_s', 'measured_s')},
    ...rowsOf(list(plan, 'singles'), columns, one => ({status: text(one, 'status').replace(/^ok$/, '')}))];
  const map = rowMap(m, blocks), other = rowMap(m, cut);
  return [h('p', {}, words),
    h('div.pictures', {}, map && figure(`Which kernel multiplies which rows of ${m.name}`, map,
      "The picture's proportions are kept between bounds; the darker, the more entries."),
    table(m.prefix + 'singles', 'The plan and every single kernel', columns, singles)),
    blocks.length > 1 ? blockTable(m, 'blocks', 'Blocks of the plan', blocks) : '',
    blocks.length === 1 && cut.length > 1 ? details(`The best cut that was not taken: ${cut.length} blocks`,
      other && figure('The best cut', other), blockTable(m, 'cut', 'Blocks of the best cut', cut)) : ''];
};

// One bin per length where few occur, else per power of two.
const histogram = structure => {
  const lengths = list(structure, 'row_histogram').filter(one => Array.isArray(one) && one[0] >= 0 && one[1] >= 0);
  const few = lengths.length <= 16, bins = [];
  for (const [length, rows] of lengths) {
    const power = length > 0 ? 2 ** Math.floor(Math.log2(length)) : 0, first = few ? length : power;
    if (!bins.length || bins[bins.length - 1].first !== first)
      bins.push({first, last: few || power === 0 ? first : 2 * power - 1, rows: 0});
    bins[bins.length - 1].rows += rows;
  }
  if (!bins.length) return undefined;
  const most = Math.max(1, d3.max(bins, bin => bin.rows)), sum = d3.sum(bins, bin => bin.rows);
  const uneven = most > 100 * Math.max(1, d3.min(bins, bin => bin.rows));
  const up = uneven ? logarithmic([0.5, most], 'n') : linear(0, most * 1.02, 'n');
  const name = bin => count(bin.first) + (bin.first === bin.last ? '' : '–' + count(bin.last));
  const picture = h('div.columns', {role: 'img',
    'aria-label': `Lengths of the rows, ${count(bins[0].first)} to ${count(bins[bins.length - 1].last)} non-zeros`},
  h('div.columns-scale', {}, ...ticks(up, 5).map(tick => h('span', {style: `bottom:${share(up(tick.value))}`}, tick.label))),
  ...bins.map(bin => h('div.column', {'data-tip': `rows of ${name(bin)} non-zeros: ${count(bin.rows)} (${percent(bin.rows / (sum || 1))})`},
    h('span.mark bar', {style: `height:${share(up(bin.rows))}`}), h('span.tick', {}, count(bin.first)))));
  picture.draw = () => {  // as many names of bins as have room
    const names = all('.tick', picture);
    for (const one of names) one.hidden = false;
    const widest = d3.max(names, one => one.offsetWidth) + 6, step = Math.ceil(widest / names[0].parentNode.offsetWidth);
    names.forEach((one, i) => { one.hidden = i % step > 0; });
  };
  redraw.observe(picture);
  return figure(uneven ? 'Row lengths (logarithmic)' : 'Row lengths', picture,
    'Rows over the non-zeros of a row; each bin is named by its shortest.');
};
const structurePart = m => {
  const s = member(m.info, 'structure');
  if (typeof s !== 'object' || s === null) return undefined;
  const has = name => known(num(s, name)) ? counted(s, name) : '', mean = num(s, 'row_mean'), symmetry = member(s, 'symmetry');
  const told = facts([['rows', has('rows')], ['columns', has('cols')], ['non-zeros', has('nonzeros')],
    ['non-zeros of a row', known(mean) ? `${has('row_min')} to ${has('row_max')}, ${Number(mean.toPrecision(3))} in the mean` : ''],
    ['empty rows', has('empty_rows')], ['bandwidth', has('diagonal_bandwidth')],
    ['symmetric', symmetry && typeof symmetry === 'object' ? (flag(symmetry, 'symmetric') ? 'yes' : 'no') : '']]);
  // The plan shows where the entries are: then the facts have the room beside the histogram.
  const map = m.optimize ? undefined : rowMap(m, []), bins = histogram(s);
  return map ? [told, h('div.pictures', {}, bins, figure('Where the entries are', map, 'The darker, the more entries.'))]
    : h('div.pictures', {}, told, bins);
};

// What a product costs when the conversion is spread over so many of them. Who is the cheapest from how many on is
// found exactly, as the lower envelope of the lines conversion + n · seconds.
const choicesOf = m => {
  const choices = new Map(), plan = m.optimize;
  const add = (name, conversion, time) => { if (both(conversion, time) && !choices.has(name)) choices.set(name, {name, conversion, time}); };
  for (const row of kernelRows(m)) add(row.kernel, num(row.forecast, 'preprocess_s'), row.seconds);
  if (!choices.size) for (const one of list(plan, 'singles')) add(text(one, 'kernel'), num(one, 'conversion_s'), num(one, 'seconds'));
  if (list(plan, 'strategy').length > 1) add('plan', num(plan, 'conversion_s'), num(plan, 'predicted_s'));
  return [...choices.values()].map(one => ({...one, total: n => one.conversion + n * one.time}));
};
const cheapest = choices => {
  const out = [];
  let products = 1, now = [...choices].sort((a, b) => a.total(1) - b.total(1) || a.time - b.time)[0];
  while (now) {
    out.push({choice: now, from: products});
    let next = Infinity, who;
    for (const one of choices) {
      if (!(one.time < now.time)) continue;
      const from = Math.max(products, Math.floor((one.conversion - now.conversion) / (now.time - one.time)) + 1);
      if (from < next || (from === next && one.time < who?.time)) [next, who] = [from, one];
    }
    [now, products] = [who, next];
  }
  return out;
};
const breakEvenPart = m => {
  const choices = choicesOf(m), most = 1e6;
  if (choices.length < 2 || choices.every(one => one.conversion <= 0)) return undefined;
  const stretches = cheapest(choices), wins = one => stretches.some(stretch => stretch.choice === one);
  const words = 'Cheapest, conversion included: ' + stretches.map(({choice, from}, i) => i + 1 < stretches.length
    ? `${choice.name} for ${count(from)} to ${count(stretches[i + 1].from - 1)} products`
    : `${choice.name} from ${from === 1 ? 'the first' : count(from)} on`).join('; ') + '.';
  // Winners, then those that come nearest to the best at some number of products.
  const nearest = one => wins(one) ? 0 : d3.min(d3.range(0, 7), power =>
    one.total(10 ** power) / d3.min(choices, other => other.total(10 ** power)));
  const drawn = choices.map(one => ({...one, near: nearest(one), wins: wins(one)})).filter(one => one.near <= 5)
    .sort(by(one => one.near)).slice(0, styles);
  const look = (one, i) => `${style(i)} d${i}${one.wins ? ' winner' : ''}`;
  return [h('p', {}, words), plot({
    title: 'Time of a product, conversion included, over the number of products', summary: words, height: 340,
    words: 'Forecasts. Both axes are logarithmic; circles mark where another choice becomes the cheapest.',
    x: {title: 'products', axis: logarithmic([1, most], 'n')},
    y: {title: 'time of a product with its share of the conversion',
        axis: logarithmic(drawn.flatMap(one => [one.total(1), one.total(most) / most]), 's')},
    lines: drawn.map((one, i) => ({style: look(one, i), points: d3.range(0, 6.01, 0.1).map(power => [10 ** power, one.total(10 ** power) / 10 ** power]),
      tip: `${one.name}: conversion ${seconds(one.conversion)}, then ${seconds(one.time)} a product`})),
    names: drawn.map((one, i) => ({name: one.name, x: most, y: one.total(most) / most, style: look(one, i)})),
    points: stretches.slice(1).filter(({from}) => from <= most).map(({choice, from}) => ({x: from, y: choice.total(from) / from,
      mark: 'circle', style: 'turn', tip: `${choice.name} is the cheapest from ${count(from)} products on`}))})];
};

const readBy = {shipped: 'as shipped calibrations of other processors and a probe of it have it', 'data sheet': 'by its data sheet',
  anchors: 'by its data sheet', probe: 'as a probe of it measured it'};
const rooflinePart = m => {
  const fastest = d3.max(list(m.predict, 'forecasts'), one => num(one, 'gflops')) ?? 0;
  const points = kernelRows(m).flatMap(row => {
    const {gflops, bytes: size} = pick(row.forecast, 'gflops', 'bytes');
    // Slower ones would take the room of the others.
    if (!(row.seconds > 0) || !(gflops > 0) || !(size > 0) || gflops < fastest / 10) return [];
    const operations = gflops * 1e9 * row.seconds;
    return [{kernel: row.kernel, x: operations / size, forecast: gflops,
             measured: row.measured_s > 0 ? operations / row.measured_s / 1e9 : undefined}];
  });
  const levels = list(m.machine, 'levels').filter(level => num(level, 'bytes_per_s') > 0);
  if (!points.length || !levels.length) return undefined;
  const across = points.map(one => one.x), x = logarithmic([d3.min(across) / 2, d3.max(across) * 2], '');
  const ends = x.scale.domain(), roof = (level, at) => num(level, 'bytes_per_s') * at / 1e9;
  const words = level => `${text(level, 'name')}, ${bytes(num(level, 'bytes_per_s'))}/s`;
  return plot({
    title: 'Roofline: circles are forecasts, diamonds measured', height: 400,
    summary: "Roofline: GFLOP/s of each kernel over its operations per byte of storage, below the bandwidths of the memory's levels",
    words: `Lines are what this device reads from each level, ${readBy[text(m.machine, 'tier')] ?? 'as its calibration measured it'}. ` +
      'A matrix that fits a cache is read from there again by the next product; vectors are not counted in the bytes.',
    x: {title: "operations per byte of the matrix's storage", axis: x},
    y: {title: 'GFLOP/s', axis: logarithmic([...points.flatMap(one => [one.forecast, one.measured].filter(known)),
      ...levels.flatMap(level => ends.map(at => roof(level, at)))], 'gf')},
    lines: levels.map((level, i) => ({style: `roof d${i}`, tip: words(level), points: ends.map(at => [at, roof(level, at)])})),
    notes: levels.map(level => ({y: roof(level, ends[0]), name: words(level)})),
    points: points.flatMap(one => ['forecast', 'measured'].filter(kind => known(one[kind])).map(kind => ({
      x: one.x, y: one[kind], mark: kind === 'forecast' ? 'circle' : 'diamond', style: kind,
      tip: `${one.kernel}: ${Number(one[kind].toPrecision(3))} GFLOP/s ${kind}`}))),
    names: [...points].sort(by(one => -one.forecast)).slice(0, 7).map(one => ({x: one.x, y: one.forecast, name: one.kernel}))});
};

const timePart = m => {
  const forecasts = list(m.predict, 'forecasts').filter(one => list(one, 'parts').length && num(one, 'seconds') > 0)
    .sort(by(one => num(one, 'seconds')));
  if (!forecasts.length) return undefined;
  const names = [...new Set(forecasts.flatMap(one => list(one, 'parts').map(term => text(term, 'name'))))];
  // A kernel that is many times slower would leave nothing to see of the others.
  const drawn = forecasts.filter(one => num(one, 'seconds') <= 5 * num(forecasts[0], 'seconds')).slice(0, 12);
  const longest = d3.max(drawn, one => Math.max(num(one, 'seconds'), d3.sum(list(one, 'parts'), term => Math.max(0, num(term, 'seconds') ?? 0))));
  const terms = one => list(one, 'parts').map(term => ({kernel: text(one, 'kernel'), part: text(term, 'name'),
    seconds: num(term, 'seconds') ?? 0, share: (num(term, 'seconds') ?? 0) / num(one, 'seconds'),
    bytes: num(term, 'bytes') > 0 ? num(term, 'bytes') : undefined}));
  const rows = drawn.map(one => ({label: text(one, 'kernel'), value: seconds(num(one, 'seconds')),
    parts: terms(one).filter(term => term.seconds > 0).map(term => {
      const moves = term.bytes ? bytes(term.bytes) : '';
      return {share: term.seconds / longest, style: names.indexOf(term.part), text: `${term.part} ${moves}`.trim(),
              tip: `${term.kernel}: ${term.part}\n${seconds(term.seconds)}, ${percent(term.share)} of the time${moves && '\nmoves ' + moves}`};
    })}));
  return [figure('Where the time of one product goes, and the bytes that it moves', h('div', {}, legend(names), bars(rows)),
    'Forecast. A learned correction below zero shortens the whole and is not drawn.' +
      (drawn.length < forecasts.length ? ' Kernels far behind stand in the table alone.' : '')),
  details('As a table', table(m.prefix + 'time', `Where the time of ${m.name} goes`, [['kernel', 'kernel', 'w'],
    ['part', 'part', 'w'], ['seconds', 'time', 's'], ['share', 'share', '%'], ['bytes', 'moves', 'B']], forecasts.flatMap(terms)))];
};
