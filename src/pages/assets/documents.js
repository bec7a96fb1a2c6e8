'use strict';
// Documents that are not about one matrix.

const caseColumns = [['matrix', 'matrix', 'w'], ['nonzeros', 'non-zeros', 'n'], ['kernel', 'kernel', 'w'], ['model', 'model', 'w'],
  ['predicted_s', 'forecast', 's'], ['low_s', 'from', 's'], ['high_s', 'to', 's'], ['measured_s', 'measured', 's'],
  ['error', 'error', '%'], ['in_interval', 'inside', 'w'], ['spread', 'repeat spread', '%'],
  ['preprocess_predicted_s', 'conversion', 's'], ['preprocess_measured_s', 'measured', 's']];
const casesOf = document => rowsOf(list(document, 'cases'), caseColumns)
  .filter(one => one.predicted_s > 0 && one.measured_s > 0)
  .map(one => ({...one, in_interval: one.measured_s >= one.low_s && one.measured_s <= one.high_s ? 'yes' : 'no'}));
const mostPoints = 600;
const thinned = items => { const step = Math.ceil(items.length / mostPoints); return [items.filter((one, i) => i % step === 0), step]; };
const decadeNames = ['below 10⁴', '10⁴', '10⁵', '10⁶', 'from 10⁷'], decadeMarks = ['circle', 'diamond', 'triangle', 'square', 'star'];
const decadeOf = one => one.nonzeros > 0 ? Math.max(0, Math.min(4, Math.floor(Math.log10(one.nonzeros)) - 3)) : -1;
const decadeColumns = [['decade', 'non-zeros', 'w'], ['cases', 'cases', 'n'], ['median', 'median error', '%'],
  ['inside', 'in interval', '%']];
const offBy = one => Math.abs(one.predicted_s / one.measured_s - 1);
const decadesOf = cases => [...d3.group(cases, decadeOf)].filter(([decade]) => decade >= 0).sort(([a], [b]) => a - b)
  .map(([number, own]) => ({decade: decadeNames[number], cases: own.length,
    median: own.map(offBy).sort(by(error => error))[Math.floor(own.length / 2)],
    inside: own.filter(one => one.in_interval === 'yes').length / own.length}));
const summaryColumns = [['kernel', 'kernel', 'w'], ['model', 'model', 'w'], ['cases', 'cases', 'n'],
  ['mean_error', 'mean error', '%', '|forecast − measured| / measured'], ['median_error', 'median', '%'],
  ['p90_error', '90th', '%', 'nine in ten cases are nearer'], ['max_error', 'largest', '%'],
  ['coverage', 'in interval', '%', 'cases whose measured time lies in the 90 % interval; 90 % is right'],
  ['mean_spread', 'repeat spread', '%', 'of the measured times themselves'], ['preprocess_mean_error', "conversion's error", '%'],
  ['rank_correlation', 'rank correlation', ''], ['top1_regret', 'first loses', '%'], ['top5_regret', 'best of five loses', '%']];
const errorsPart = (document, prefix) => {
  const cases = casesOf(document), [drawn, step] = thinned(cases);
  const told = table(prefix + 'errors', 'Errors by kernel and model', summaryColumns, rowsOf(list(document, 'summary'), summaryColumns));
  if (!told || !cases.length) return told;
  const answers = [...new Set(cases.map(one => one.model))].map(model => {
    const own = cases.filter(one => one.model === model);
    const inside = own.filter(one => one.in_interval === 'yes').length / own.length;
    return answer('Of ', strong(count(own.length)), ` forecasts by ${model} half are within `,
      strong(percent(own.map(offBy).sort(by(error => error))[Math.floor(own.length / 2)])), ' of what was measured, and ',
      strong(percent(inside)), ' of the measured times lie in their 90 % intervals.');
  });
  const x = logarithmic(cases.map(one => one.measured_s), 's'), ratio = one => one.predicted_s / one.measured_s;
  return [answers, plot({title: 'Forecast over measured, every case', height: 360,
    summary: `Forecast over measured time of ${cases.length} cases, over the measured time`,
    words: 'Crosses: the measured time lies outside of the 90 % interval. Non-zeros: ● below 10⁴, ◆ 10⁴, ▲ 10⁵, ■ 10⁶, ★ from 10⁷.' +
      (step > 1 ? ` One case in ${step} is drawn.` : ''),
    x: {title: 'measured time', axis: x},
    y: {title: 'forecast over measured', axis: logarithmic([0.8, 1.25, ...cases.map(ratio)], 'x')},
    lines: [{style: 'exact', points: x.scale.domain().map(at => [at, 1])}],
    points: drawn.map(one => ({x: one.measured_s, y: ratio(one), mark: one.in_interval === 'yes' ? decadeMarks[Math.max(0, decadeOf(one))] : 'cross',
      style: decadeOf(one) >= 0 ? style(decadeOf(one)) : one.in_interval === 'yes' ? 'forecast' : 'miss', tip: `${one.matrix}, ${one.kernel}\n${one.model}\nforecast ` +
        `${seconds(one.predicted_s)}, measured ${seconds(one.measured_s)}\nerror ${ratio(one) >= 1 ? '+' : ''}` +
        `${(100 * (ratio(one) - 1)).toFixed(1)} %, ${one.in_interval === 'yes' ? 'inside' : 'outside'} its interval`}))}), told,
  table(prefix + 'decades', 'Errors by decade of non-zeros', decadeColumns, decadesOf(cases))];
};
const choiceColumns = [['model', 'model', 'w'], ['cases', 'matrices', 'n'], ['hits', 'within 2 % of the fastest', 'n'],
  ['mean_regret', 'mean regret', '%', 'time lost against the fastest kernel'], ['max_regret', 'largest', '%']];
const choicesPart = (document, prefix) =>
  table(prefix + 'choices', 'Kernels chosen by each model', choiceColumns, rowsOf(list(document, 'selection'), choiceColumns));
const skippedColumns = [['matrix', 'matrix', 'w'], ['kernel', 'kernel', 'w'], ['reason', 'reason', 'w']];
const casesPart = (document, prefix) => {
  const skipped = rowsOf(list(document, 'skipped'), skippedColumns);
  const cases = casesOf(document).sort(by(one => -(one.error ?? 0)))
    .map(one => ({...one, class: one.in_interval === 'yes' ? '' : 'missed'}));
  return [table(prefix + 'cases', 'Every case, the largest error first', caseColumns, cases),
    skipped.length ? details('Not judged', table(prefix + 'skipped', 'Not judged', skippedColumns, skipped)) : ''];
};

// What is ranked: products or, with a solver, its iterations; by time or, with prices, by cost.
const rankingColumns = (unit, priced) => [['device', 'machine', 'w'], ['track', 'time of one ' + unit, 'track'],
  ['faster_probability', 'before the next', '%', `probability that it ${priced ? 'costs less than' : 'finishes before'} the machine below`],
  ['cost', 'cost', '', "of the time in all, at the machine's price"],
  ['total_s', 'in all', 's', `the ${unit}s asked for, with ${unit === 'product' ? 'conversion' : 'set-up'} and upload`], ['seconds', 'one ' + unit, 's'],
  ['low_s', 'from', 's', 'lower end of the 90 % interval'], ['high_s', 'to', 's', 'upper end of the 90 % interval'],
  ['kernel', 'kernel', 'w'], ['gflops', 'GFLOP/s', 'gf'], ['preprocess_s', unit === 'product' ? 'conversion' : 'set-up', 's'], ['upload_s', 'upload', 's'],
  ['roof_share', 'of its bandwidth', '%', "of the data sheet's; above 100 %: caches"], ['bound_by', 'bound by', 'w'],
  ['tier', 'known by', 'w'], ['remark', '', 'w']];
const nextNote = next => list(next, 'products').length ? note(`${plural(list(next, 'products').length, 'product')} of ` +
  `\`sparsecast probe --for\` on ${text(next, 'device')} bring the doubt of the first place from ` +
  `${percent(num(next, 'doubt') ?? 0)} to ${percent(num(next, 'doubt_after') ?? 0)}`) : '';
const unknownNote = (ranking, unit) => {
  const unknown = ranking.filter(entry => !known(num(entry, 'preprocess_s'))).length, what = unit === 'product' ? 'conversion' : 'set-up';
  return unknown ? note(`${count(unknown)} of ${count(ranking.length)} totals are without a ${what}: what it takes there is not known.`) : '';
};
const rankingPart = (document, prefix) => {
  const ranked = list(document, 'matrices').filter(matrix => list(matrix, 'ranking').length), most = 20;
  const solver = text(document, 'solver'), unit = solver ? 'iteration' : 'product', times = num(document, 'iterations') ?? 1;
  const one = (matrix, i) => {
    const ranking = list(matrix, 'ranking'), first = ranking[0];
    const axis = logarithmic(ranking.flatMap(entry => Object.values(pick(entry, 'low_s', 'seconds', 'high_s'))), 's');
    const cost = num(first, 'cost'), priced = known(cost), columns = rankingColumns(unit, priced);
    return [answer(`For ${plural(times, unit)}${solver && ' of ' + solver} with ${text(matrix, 'name')} (${counted(matrix, 'rows')} × ` +
      `${counted(matrix, 'cols')}, ${counted(matrix, 'nonzeros')} non-zeros) `, strong(text(first, 'device')),
    priced ? ' costs least: ' : ' finishes first: ', strong((priced ? formats[''](cost) + ' in ' : '') + seconds(num(first, 'total_s') ?? 0)),
    ` with ${text(first, 'kernel')}.`),
    table(`${prefix}ranking${i}`, 'Machines for ' + text(matrix, 'name'), columns, rowsOf(ranking, columns, entry => {
      const {seconds: value, low_s: low, high_s: high} = pick(entry, 'seconds', 'low_s', 'high_s');
      return {track: track(axis, {value, low, high}, {}, `${text(entry, 'device')}, ${text(entry, 'kernel')}\n` +
          `${seconds(value ?? 0)} a${unit === 'product' ? '' : 'n'} ${unit} (${seconds(low ?? 0)} – ${seconds(high ?? 0)})`),
        roof_share: num(entry, 'roof_share') > 0 ? num(entry, 'roof_share') : undefined,  // 0: not known
        remark: [flag(entry, 'fits') ? '' : 'does not fit', flag(entry, 'tie') ? 'not told apart' : '',
          flag(entry, 'extrapolated') ? 'extrapolated' : ''].filter(Boolean).join(', '),
        class: entry === first ? 'chosen' : flag(entry, 'fits') ? '' : 'missed'};
    }), axis), unknownNote(ranking, unit), nextNote(member(matrix, 'measure_next'))];
  };
  return [...ranked.slice(0, most).flatMap(one),
    ranked.length > most ? note(`${most} of ${ranked.length} matrices; the data in this page holds all`) : ''];
};
const machineColumns = [['device', 'machine', 'w'],
  ['mean_ratio', 'ratio', 'x', "geometric mean of the time, with prices of the cost, over that of each matrix's first"], ['first', 'first', 'n'],
  ['tied', 'tied', 'n'], ['matrices', 'matrices', 'n'], ['cost', 'cost', ''], ['total_s', 'in all', 's'], ['tier', 'known by', 'w']];
const machinesPart = (document, prefix) => list(document, 'matrices').length < 2 ? undefined
  : table(prefix + 'machines', 'Machines over all matrices', machineColumns, rowsOf(list(document, 'summary'), machineColumns));

const scheme = entry => text(entry, 'way') + ', ' + text(entry, 'format');
const scalingPlot = (found, title) => {
  const points = found.filter(one => num(one, 'processes') > 0 && num(one, 'seconds') > 0);
  const schemes = [...d3.group(points, scheme)].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, own], i) => ({name, i, own: own.sort(by(one => one.processes))}));
  return points.length ? plot({title, height: 340, words: 'Both axes are logarithmic.',
    x: {title: 'processes', axis: logarithmic(points.map(one => one.processes), 'n')},
    y: {title: 'one iteration', axis: logarithmic(points.map(one => one.seconds), 's')},
    lines: schemes.map(({name, i, own}) => ({style: `${style(i)} d${i % 8} winner`, tip: name, points: own.map(one => [one.processes, one.seconds])})),
    points: schemes.flatMap(({name, i, own}) => own.map(one => ({x: one.processes, y: one.seconds,
      mark: ['circle', 'diamond', 'cross', 'triangle'][i % 4], style: style(i), tip: `${name}\n${count(one.processes)} processes: ${seconds(one.seconds)}`}))),
    names: schemes.map(({name, i, own}) => ({name, x: own[own.length - 1].processes, y: own[own.length - 1].seconds, style: style(i)}))}) : '';
};
const iterationBars = found => {
  const rows = found.filter(one => num(one, 'core_s') + num(one, 'communication_s') > 0 && known(num(one, 'seconds'))).slice(0, 24);
  const longest = d3.max(rows, one => Math.max(one.seconds, one.core_s + one.communication_s));
  return rows.length ? figure('Where the time of one iteration goes', h('div', {}, legend(['products', 'messages']), bars(rows.map(one => {
    const label = `${scheme(one)}, ${counted(one, 'processes')} processes`;
    return {label, value: seconds(one.seconds), parts: [['products', one.core_s], ['messages', one.communication_s]].map(([name, time], i) =>
      ({share: Math.max(0, time) / longest, style: i, text: name, tip: `${label}\n${name}: ${seconds(time)}`}))};
  }), true))) : '';
};
const clusterColumns = [['way', 'scheme', 'w'], ['track', 'time of one iteration', 'track'], ['format', 'format', 'w'],
  ['processes', 'processes', 'n'], ['nodes', 'nodes', 'n'], ['model', 'model', 'w'], ['seconds', 'one iteration', 's'],
  ['low_s', '5 %', 's'], ['high_s', '95 %', 's'], ['core_s', 'in products', 's'], ['communication_s', 'in messages', 's'],
  ['efficiency', 'efficiency', '%'], ['checksum_error', 'from one process', '', 'relative difference of the results'],
  ['source', 'source', 'w'], ['remark', '', 'w']];
const clusterPart = (document, prefix) => {
  const forecasts = list(document, 'forecasts'), best = member(document, 'recommended'), scaling = list(document, 'scaling');
  if (!forecasts.length) return undefined;
  const chosen = one => scheme(one) === scheme(best) && num(one, 'processes') === num(best, 'processes');
  return [typeof best === 'object' && best ? answer('Take ', strong(scheme(best)), ' on ', strong(counted(best, 'processes') + ' processes'),
    ` of ${text(member(document, 'cluster'), 'name')}: ${seconds(num(best, 'seconds') ?? 0)} an iteration; ${text(best, 'reason')}.`) : '',
  scalingPlot(scaling.length ? scaling : forecasts, 'Time of one iteration over the processes'), iterationBars(forecasts),
  table(prefix + 'cluster', 'Forecasts', clusterColumns, rowsOf(forecasts, clusterColumns, one => ({
    remark: flag(one, 'extrapolated') ? 'extrapolated' : '', class: chosen(one) ? 'chosen' : ''}))),
  table(prefix + 'scaling', 'Efficiency', clusterColumns, rowsOf(scaling, clusterColumns))];
};
const clusterMeasuredPart = (document, prefix) => {
  const measured = list(document, 'measurements');
  const axis = logarithmic(measured.flatMap(one => Object.values(pick(one, 'low_s', 'seconds', 'high_s'))), 's');
  return [new Set(measured.map(one => num(one, 'processes'))).size > 1
    ? scalingPlot(measured, 'Measured time of one iteration over the processes') : '', iterationBars(measured),
  table(prefix + 'cluster', 'Measured on ' + text(document, 'matrix'), clusterColumns, rowsOf(measured, clusterColumns, one => {
    const {seconds: value, low_s: low, high_s: high} = pick(one, 'seconds', 'low_s', 'high_s');
    return {track: track(axis, {}, {value, low, high}, `${scheme(one)}: ${seconds(value ?? 0)}`)};
  }), axis)];
};

// What a MATLAB program moves: its regions, and its text with the hot lines.
const moved = one => (num(one, 'wsl_bytes') ?? 0) + (num(one, 'wss_bytes') ?? 0);
const sourceLines = (page, file) => {
  const source = list(page, 'sources').find(one => text(one, 'file') === file);
  return source ? text(source, 'text').replace(/\n$/, '').split('\n') : [];
};
const linesOf = (document, file) => new Map(list(document, 'lines').filter(one => text(one, 'file') === file).map(one => [num(one, 'line'), one]));
const listing = (caption, head, rows, kind) => h('div.scroll', {tabindex: 0, role: 'region', 'aria-label': caption},
  h('table.program ' + kind, {}, h('caption', {}, caption),
    h('thead', {}, h('tr', {}, ...head.map((name, i) => h(i % 3 === 2 || i === head.length - 1 ? 'th.words' : 'th', {scope: 'col'}, name)))),
    h('tbody', {}, ...rows)));
const trafficPart = (document, prefix, page) => {
  const regions = list(document, 'regions'), hottest = [...regions].sort(by(one => -moved(one)))[0];
  const levels = list(regions[0], 'levels').slice(1).map(level => text(level, 'level'));
  const columns = [['region', 'region', 'w'], ['lines', 'lines', 'w'], ['calls', 'calls', 'n'], ['sr_bytes', 'SR', 'B', 'storage requirement'],
    ['wsl_bytes', 'WSL', 'B', 'working set loaded'], ['wsl_uncertainty_bytes', '±', 'B'], ['wss_bytes', 'WSS', 'B', 'working set stored'],
    ['dgemm_bytes', 'DGEMM', 'B'], ['sparse_bytes', 'sparse', 'B'], ...levels.map(name => [name + '_load_bytes', 'from ' + name, 'B']),
    ['seconds', 'time', 's'], ['product_seconds', 'in products', 's']];
  const words = entries(member(document, 'legend')).filter(([, meaning]) => typeof meaning === 'string');
  const most = Math.max(1, d3.max(list(document, 'lines'), moved) ?? 0);
  // Every file that a region stands in, whole.
  const files = [...new Set([text(document, 'program'), ...regions.map(one => text(one, 'file'))])];
  const size = (one, name) => one ? bytes(num(one, name) ?? 0) : '';
  return [hottest ? answer('Most is moved in ', strong(text(hottest, 'name')), `: ${size(hottest, 'wsl_bytes')} loaded and ` +
      `${size(hottest, 'wss_bytes')} stored${known(num(hottest, 'seconds')) ? ' in ' + seconds(num(hottest, 'seconds')) : ''}.`) : '',
  table(prefix + 'regions', 'Regions of ' + text(document, 'program'), columns, rowsOf(regions, columns, one => ({
    region: '\u2003'.repeat(Math.max(0, Math.min(64, num(one, 'depth') ?? 0))) + text(one, 'name'),
    lines: `${counted(one, 'first_line')}–${counted(one, 'last_line')}`,
    ...Object.fromEntries(levels.map((name, i) => [name + '_load_bytes', num(list(one, 'levels')[i + 1], 'load_bytes')]))}))),
  words.length ? h('dl.legend', {}, ...words.flatMap(([name, meaning]) => [h('dt', {}, name), h('dd', {}, meaning)])) : '',
  ...files.map(file => {
    const source = sourceLines(page, file), own = linesOf(document, file);
    return source.length ? listing(file, ['line', 'loaded', 'stored', 'program'], source.map((line, i) => {
      const one = own.get(i + 1), heat = one ? moved(one) / most : 0;
      return h('tr', heat > 0 ? {class: 'hot', style: `--heat:${heat}`} : {}, h('td.line', {}, String(i + 1)),
        h('td', {}, size(one, 'wsl_bytes')), h('td', {}, size(one, 'wss_bytes')), h('td.code', {}, line));
    }), '') : '';
  })];
};
// Pairs of line numbers in order, 0 where only the other text has a line: a longest common subsequence. Where that would
// take too long, all lines of the one, then all of the other.
const aligned = (a, b) => {
  const wide = b.length + 2, pairs = [];
  let i = 1, j = 1;
  if (a.length * b.length <= 25e6) {
    const length = new Uint32Array((a.length + 2) * wide);
    for (let x = a.length; x >= 1; --x)
      for (let y = b.length; y >= 1; --y)
        length[x * wide + y] = a[x - 1] === b[y - 1] ? length[(x + 1) * wide + y + 1] + 1
          : Math.max(length[(x + 1) * wide + y], length[x * wide + y + 1]);
    while (i <= a.length && j <= b.length)
      if (a[i - 1] === b[j - 1]) pairs.push([i++, j++]);
      else pairs.push(length[(i + 1) * wide + j] >= length[i * wide + j + 1] ? [i++, 0] : [0, j++]);
  }
  while (i <= a.length) pairs.push([i++, 0]);
  while (j <= b.length) pairs.push([0, j++]);
  return pairs;
};
const trafficPairPart = (document, prefix, page) => {
  const sides = [member(document, 'first'), member(document, 'second')], named = (side, name) => list(side, 'regions').find(one => text(one, 'name') === name);
  const columns = [['region', 'region', 'w'], ['first_wsl_bytes', 'loaded, first', 'B'], ['second_wsl_bytes', 'second', 'B'],
    ['change', 'change', '%'], ['first_wss_bytes', 'stored, first', 'B'], ['second_wss_bytes', 'second', 'B'], ['first_s', 'time, first', 's'],
    ['second_s', 'second', 's']];
  const regions = table(prefix + 'regions', 'Regions of both', columns, rowsOf(list(document, 'regions'), columns, one => {
    const name = text(one, 'name'), [a, b] = sides.map(side => named(side, name)), before = num(one, 'first_wsl_bytes'), after = num(one, 'second_wsl_bytes');
    return {region: name, change: before > 0 && known(after) ? after / before - 1 : undefined, first_wss_bytes: num(a, 'wss_bytes'),
            second_wss_bytes: num(b, 'wss_bytes'), first_s: num(a, 'seconds'), second_s: num(b, 'seconds')};
  }));
  const programs = sides.map(side => text(side, 'program')), texts = programs.map(file => sourceLines(page, file));
  if (texts.some(lines => !lines.length)) return regions;
  const own = sides.map((side, k) => linesOf(side, programs[k]));
  const rows = aligned(...texts).map(pair => h('tr', {}, ...pair.flatMap((line, k) => {
    const [mine, other] = [k, 1 - k].map(side => moved(own[side].get(pair[side])));
    return line ? [h('td.line', {}, String(line)), h(mine > other ? 'td.more' : mine < other ? 'td.less' : 'td', {}, mine > 0 ? bytes(mine) : ''),
                   h('td.code', {}, texts[k][line - 1])] : [h('td.gap'), h('td.gap'), h('td.gap')];
  })));
  return [regions, listing('Line by line', ['line', 'moved', programs[0], 'line', 'moved', programs[1]], rows, 'pair')];
};

// The time of a GPU kernel from its code: what each model says, what it waits for, and tables of configurations.
const oneBar = (label, value, longest, look, words) =>
  ({label, value: words, parts: [{share: longest > 0 ? Math.max(0, value) / longest : 0, style: look, tip: `${label}: ${words}`}]});
const gpuCodePart = (document, prefix) => {
  const estimates = list(document, 'estimates'), last = estimates[estimates.length - 1], overlap = member(document, 'overlap');
  if (!last) return undefined;
  const columns = [['model', 'model', 'w'], ['seconds', 'time', 's'], ['cycles', 'cycles', 'n'], ['bound_by', 'bound by', 'w'], ['expression', 'expression', 'w']];
  const time = one => num(one, 'seconds'), device = text(document, 'device'), bound = text(last, 'bound_by');
  const longest = d3.max(estimates, time) ?? 0, by = ` by the model ${text(last, 'model')}`, on = device ? ` on ${device}` : '';
  const cycles = entries(member(overlap, 'cycles_per_block')).map(([resource, value]) => ({resource, cycles: Number.isFinite(value) ? value : 0}));
  const fact = (name, field, unit) => [name, known(num(overlap, field)) ? formats[unit](num(overlap, field)) : ''];
  const room = member(document, 'occupancy'), notes = list(document, 'notes').filter(one => typeof one === 'string');
  return [known(time(last)) ? answer(strong(text(document, 'kernel')), on + ' takes ', strong(seconds(time(last))), `${by}${bound && ', bound by ' + bound}.`)
    : answer('How long ', strong(text(document, 'kernel')), `${on} takes is not known${by}: times of its graph are not given.`),
  text(document, 'advice') ? h('p', {}, text(document, 'advice')) : '',
  h('p', {}, `${counted(document, 'nodes')} nodes, ${counted(document, 'arcs')} arcs, height ${counted(document, 'height')}; ` +
    `${counted(document, 'instances')} instances on ${counted(document, 'executors')} executors.`),
  figure('Time by each model', bars(estimates.map(one => oneBar(text(one, 'model'), time(one) ?? 0, longest, 0, secondsOr(time(one), 'not known'))))),
  table(prefix + 'estimates', 'Time by each model', columns, rowsOf(estimates, columns)),
  cycles.length ? figure('What a block keeps busy, in cycles', bars(cycles.map(one => oneBar(one.resource, one.cycles, d3.max(cycles, other => other.cycles),
    2, count(one.cycles)))), 'The longest bar binds the kernel.') : '',
  facts([fact('launch', 'launch_s', 's'), fact('start-up', 'transient_s', 's'), fact('a wave', 'wave_s', 's'), fact('waves', 'waves', ''),
    fact('moved through memory', 'memory_bytes', 'B'), fact('through the second-level cache', 'l2_bytes', 'B'),
    fact('loads that hit the first level', 'l1_hit_share', '%'), fact('warps resident', 'resident_warps', 'n'),
    fact('warps that would hide all latency', 'warps_to_hide', 'n'), fact('clock (Hz)', 'clock_hz', '')]),
  cycles.length ? details('As a table', table(prefix + 'resources', 'Cycles of a block on each resource',
    [['resource', 'resource', 'w'], ['cycles', 'cycles a block', 'n']], cycles)) : '',
  room && typeof room === 'object' ? h('p', {}, `${counted(room, 'blocks')} blocks per multiprocessor, limited by ${text(room, 'limited_by')}; ` +
    `${counted(room, 'registers')} registers a thread, ${bytes(num(room, 'shared_bytes') ?? 0)} shared a block.`) : '',
  notes.length ? h('ul', {}, ...notes.map(one => h('li', {}, one))) : ''];
};
const tuningPart = (document, prefix) => {
  const rows = list(document, 'configurations').map(one => {
    const estimates = list(one, 'estimates');
    return {row: num(one, 'row'), seconds: num(estimates[estimates.length - 1], 'seconds'), measured_s: num(one, 'measured_s')};
  }).sort(by(one => one.seconds ?? Infinity));
  if (!rows.length) return undefined;
  const timed = rows.filter(one => one.measured_s > 0 && known(one.seconds)), axis = logarithmic(timed.flatMap(one => [one.seconds, one.measured_s]), 's');
  return [answer(`Of ${count(rows.length)} configurations of ${text(document, 'kernel')} the one in row `, strong(count(rows[0].row ?? 0)),
    known(rows[0].seconds) ? ` is forecast to be the fastest: ${seconds(rows[0].seconds)}.` : ' is the first: no time is known of any.'),
  timed.length ? plot({title: 'Forecast against measured', summary: 'Forecast over measured time of the configurations', height: 380,
    words: 'On the line both are the same.', x: {title: 'measured', axis}, y: {title: 'forecast', axis},
    lines: [{style: 'exact', points: axis.scale.domain().map(at => [at, at])}], points: thinned(timed)[0].map(one => ({x: one.measured_s, y: one.seconds,
      mark: 'circle', style: 'forecast', tip: `row ${count(one.row ?? 0)}\nforecast ${seconds(one.seconds)}, measured ${seconds(one.measured_s)}`}))}) : '',
  table(prefix + 'summary', 'Errors of the models', summaryColumns.slice(1), rowsOf(list(document, 'summary'), summaryColumns.slice(1))),
  table(prefix + 'configurations', 'Configurations, the fastest forecast first', [['row', 'row', 'n'], ['seconds', 'forecast', 's'], ['measured_s', 'measured', 's']], rows)];
};
// A tuning space searched by forecast: the fastest configurations, what they have in common, time against parameters.
const spacePart = (document, prefix) => {
  const ranking = list(document, 'ranking').filter(one => known(num(one, 'seconds')));
  if (!ranking.length) return undefined;
  const value = (one, name) => { const found = member(member(one, 'configuration'), name); return typeof found === 'string' ? found : JSON.stringify(found) ?? ''; };
  const axes = entries(member(ranking[0], 'configuration')).map(([name]) => {
    const values = [...new Set(ranking.map(one => value(one, name)))].sort((a, b) => a - b || a.localeCompare(b, 'en', {numeric: true}));
    return {name, values, at: one => values.indexOf(value(one, name)) / (values.length - 1)};
  }).filter(axis => axis.values.length > 1);
  const time = one => num(one, 'seconds'), columns = [['rank', '', 'n'], ...axes.map(axis => ['parameter ' + axis.name, axis.name, 'w']), ['seconds', 'forecast', 's'],
    ['low_s', 'from', 's'], ['high_s', 'to', 's'], ['bound_by', 'bound by', 'w'], ['beats_next_by', 'beats the next by', 'w']];
  return [answer(`Of ${counted(document, 'configurations')} configurations of ${text(document, 'kernel')} on ${text(document, 'device')} the fastest is forecast to take `,
    strong(seconds(time(ranking[0]))), '.'),
  axes.length > 1 ? plot({title: 'The fastest configurations', summary: 'Configurations as lines over their parameters', height: 300,
    words: "One line each; the parameters stand in the table's order.", x: {title: 'parameters, in the order of the table', axis: linear(0, axes.length - 1, 'n')},
    y: {title: 'least to largest value', axis: linear(0, 1, '')}, lines: ranking.map((one, i) => ({style: style(Math.min(i, styles - 1)),
      points: axes.map((axis, a) => [a, axis.at(one)]), tip: `${i + 1}: ${seconds(time(one))}`}))}) : '',
  ...axes.map(axis => plot({title: 'Time against ' + axis.name, height: 220, x: {title: `${axis.name}, least to largest`, axis: linear(0, 1, '')},
    y: {title: 'forecast', axis: logarithmic(ranking.map(time), 's')}, points: ranking.map(one => ({x: axis.at(one), y: time(one), mark: 'circle',
      style: 'forecast', tip: `${axis.name} = ${value(one, axis.name)}\n${seconds(time(one))}`}))})),
  table(prefix + 'ranking', 'The fastest configurations', columns, rowsOf(ranking, columns, one => ({rank: ranking.indexOf(one) + 1,
    ...Object.fromEntries(axes.map(axis => ['parameter ' + axis.name, value(one, axis.name)]))})))];
};

const matrixParts = [['', answerPart], ['Kernels', kernelsPart], ['Plan', planPart], ['Matrix', structurePart],
  ['Break-even', breakEvenPart, 'narrow'], ['Roofline', rooflinePart, 'narrow'], ['Time', timePart]];
const documentParts = [['evaluate', 'Errors and intervals', errorsPart], ['evaluate', 'Choices', choicesPart], ['evaluate', 'Cases', casesPart],
  ['compare', 'Machines', rankingPart], ['compare', 'Over all matrices', machinesPart], ['cluster-predict', 'Cluster', clusterPart],
  ['cluster-measure', 'Cluster, measured', clusterMeasuredPart], ['traffic', 'Memory movement', trafficPart],
  ['traffic-compare', 'Memory movement, side by side', trafficPairPart], ['kernel', 'Time of a GPU kernel', gpuCodePart],
  ['kernel', 'Configurations', tuningPart], ['kernel', 'Tuning space', spacePart]];
