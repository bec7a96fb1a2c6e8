// Uses a page as a reader would and writes what happened into it. The test appends this to a copy of the page.
(async () => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const told = {faults: window.faults, requests: performance.getEntriesByType('resource').length};
  told.too_wide = document.documentElement.scrollWidth > innerWidth;

  const table = document.getElementById('m1-kernels');
  const names = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent);
  const heading = name => [...table.tHead.rows[0].cells].find(cell => cell.dataset.name === name);
  told.as_written = names();
  heading('measured_s').querySelector('button').click();
  told.ascending = names();
  heading('measured_s').querySelector('button').click();
  told.descending = names();
  told.order_is_told = heading('measured_s').getAttribute('aria-sort');

  const tip = document.getElementById('tip');
  told.tip_at_first = !tip.hidden;
  const mark = table.querySelector('[data-tip]');
  mark.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 60, clientY: 60}));
  told.tip = tip.hidden ? '' : tip.textContent;
  document.body.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 1, clientY: 1}));
  told.tip_afterwards = !tip.hidden;

  const picture = document.querySelector('.plot').closest('.zoomed');
  const width = () => picture.firstElementChild.getBoundingClientRect().width;
  const before = width();
  picture.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  told.tip_by_key = tip.hidden ? '' : tip.textContent;
  picture.dispatchEvent(new KeyboardEvent('keydown', {key: '+', bubbles: true}));
  told.zoom = width() / before;

  // Words are taken as they are given: reading them back would wait, and the browser ends when nothing is left to do.
  const saved = [];
  window.Blob = class { constructor(parts) { saved.push(parts.join('')); } };
  URL.createObjectURL = () => '#';
  document.querySelector('[data-save=json]').click();
  table.caption.querySelector('button').click();
  told.saved = JSON.parse(saved[0]);
  told.csv = saved[1];
  told.unlabelled = all('button').filter(button => !button.textContent.trim()).length +
    all('svg[role=img]:not([aria-label]), img:not([alt])').length;

  const exact = (table, row, column) => {
    const shown = document.getElementById(table), at = [...shown.tHead.rows[0].cells].findIndex(cell => cell.dataset.name === column);
    const found = [...shown.tBodies[0].rows].find(one => one.cells[0].textContent === row);
    return found ? found.cells[at].dataset.v ?? found.cells[at].textContent : 'no row ' + row;
  };
  told.title = document.title;
  told.matrix = document.querySelector('#m1-top > h2').textContent;
  told.headings = all('h2, h3').map(one => one.textContent);
  told.exact = [['m1-kernels', 'swift', 'seconds'], ['m1-kernels', 'swift', 'high_s'], ['m1-kernels', 'plain', 'measured_s'],
    ['m1-kernels', 'plain', 'bytes'], ['m1-singles', 'the plan', 'seconds'], ['m1-time', 'swift', 'share'],
    ['d6-ranking0', 'big', 'total_s']].map(where => exact(...where));
  told.answer = document.querySelector('.answer').textContent;
  const cheapest = () => all('p').map(one => one.textContent).find(words => words.startsWith('Cheapest'));
  told.cheapest = cheapest();

  // Labels of an axis that another of it touches, everywhere on the page and on scales of all lengths.
  const touching = root => all('svg, .columns', root).flatMap(picture => {
    const labels = all('.tick:not(g), .axis text, .name', picture).filter(one => one.closest('svg, .columns') === picture)
      .map(one => ({words: one.textContent, box: one.getBoundingClientRect()})).filter(({box}) => box.width);
    return labels.flatMap(({words, box}, i) => labels.slice(0, i)
      .filter(other => box.left < other.box.right + 2 && other.box.left < box.right + 2 && box.top < other.box.bottom && other.box.top < box.bottom)
      .map(other => other.words + ' | ' + words));
  });
  const draw = root => { for (const picture of all('.scale, .plot, .columns', root)) picture.draw(); };
  draw(document);
  told.touching = touching(document);
  told.row_heights = new Set(all('#d6-ranking0 tbody tr').map(row => Math.round(row.getBoundingClientRect().height))).size;
  const scales = h('div');
  document.body.append(scales);
  for (const wide of [90, 160, 240, 400])
    for (const low of [1e-6, 9.6e-6, 4.2e-5, 1.1e-4, 0.3])
      for (const factor of [1.1, 4, 12, 150, 1e5])
        scales.append(h('div', {style: `width:${wide}px`}, trackAxis(logarithmic([low, low * factor], 's'))));
  draw(scales);
  told.touching.push(...touching(scales));
  told.scales = all('svg', scales).filter(one => one.querySelector('.tick')).length;
  scales.remove();
  const tell = () => document.body.append(h('pre', {id: 'told'}, JSON.stringify(told)));
  if (!window.strange) return tell();

  // Other data, drawn in the same page.
  const original = JSON.stringify(inside('data')), nothing = {spies: {}, drawings: []};
  const other = change => { const data = JSON.parse(original); drawPage(change(data) ?? data, nothing); };
  other(data => { data.documents.splice(3, 1); });
  told.cheapest_without_plan = cheapest();
  other(data => {
    const before = data.documents[2], after = structuredClone(before);
    Object.assign(after.measurements[0], {seconds: 0.00055, low_s: 0.00052, high_s: 0.00058});
    after.measurements[1].seconds = 0.00305;
    return {title: 'both', before, after};
  });
  told.changes = ['swift', 'plain'].map(name => [name, exact('changes0', name, 'ratio'), exact('changes0', name, 'verdict')]);
  // What is ranked is told as what it is, by what it is ranked.
  const ranked = change => {
    other(data => { const of = data.documents[5]; change(of, of.matrices[0].ranking); data.documents = [of]; });
    const shown = all('.table table')[0];
    return [document.querySelector('.answer').textContent, ...[...shown.tHead.rows[0].cells].map(cell => cell.textContent)];
  };
  told.ranked = [() => {}, of => { of.solver = 'cg'; }, (of, places) => { places[0].cost = 0.25; places[1].cost = 0.5; },
    (of, places) => { for (const place of places) place.roof_share = 0; }].map(ranked);
  // Times of unlike work.
  const compared = change => {
    other(data => {
      const before = data.documents[2], after = structuredClone(before);
      change(after, before);
      return {title: 'both', before, after};
    });
    return all('.note').map(one => one.textContent).filter(words => words.startsWith('Not under'));
  };
  told.unlike = [after => {}, after => { after.vectors = 8; }, after => { after.matrix.rows += 1; after.precision = 'single'; },
    after => { after.transposed = true; after.device.name = 'other'; }].map(compared);
  other(data => {
    const before = data.documents[5], after = structuredClone(before);
    after.solver = 'cg';
    return {title: 'both', before, after};
  });
  told.unlike.push(all('.note').map(one => one.textContent).filter(words => words.startsWith('Not under')));
  other(data => { data.documents[10].configurations = Array(10001).fill(data.documents[10].configurations).flat(); });
  told.of_many = all('.note').map(one => one.textContent).find(words => words.includes('20,002'));
  told.ticks = [[1e-6, 1e-3], [1e-3, 2e-3]].map(ends => ticks(logarithmic(ends, 's'), 6).map(tick => tick.label));
  // GPU code: another kernel on another board is other work, and a time that is not known is not 0.
  other(data => {
    const before = data.documents[9], after = structuredClone(before);
    Object.assign(after, {kernel: 'gemm', device: 'board', instances: 512});
    return {title: 'both', before, after};
  });
  told.unlike.push(all('.note').map(one => one.textContent).filter(words => words.startsWith('Not under')));
  other(data => { data.documents[9].estimates[1].seconds = null; data.documents = [data.documents[9]]; });
  told.undefined_time = [document.querySelector('.answer').textContent, ...all('.bar-value').slice(0, 2).map(one => one.textContent)];
  other(data => { data.documents[10].configurations[0].estimates[0].seconds = null; data.documents = [data.documents[10]]; });
  told.undefined_configuration = document.querySelector('.answer').textContent;
  // What an answer rests on.
  other(data => {
    for (const one of data.documents[1].forecasts) Object.assign(one, {tier: 'shipped', extrapolated: true});
    Object.assign(data.documents[1], {threads: 1, drift: {seen: true, ratio: 1.5}});
    data.machines[0].tier = 'shipped';
  });
  told.rests = [document.querySelector('.answer').textContent, document.querySelector('.answer + .note')?.textContent,
    document.querySelector('#m1-top > .meta').textContent, document.querySelector('#about').textContent];
  other(data => { data.documents = [data.documents[5]]; data.documents[0].matrices[0].ranking[0].preprocess_s = null; data.documents[0].matrices[0].ranking[1].extrapolated = true; });
  told.unknown_conversions = [all('.note')[0]?.textContent, all('.table table')[0].tBodies[0].rows[1].lastChild.textContent];
  // Two matrices that share a name and all sizes.
  const namesakes = JSON.parse(original), [info, predict, , plan] = namesakes.documents;
  namesakes.documents = [info, predict, info, structuredClone(predict), structuredClone(plan)];
  drawPage(namesakes, {spies: {0: 'AAAA', 2: 'BBBB'}, drawings: []});
  told.namesakes = all('#main > section').map(one => [one.querySelector('h2').textContent, one.querySelector('.spy img')?.src ?? '', one.querySelector('[id$=-singles]') !== null]);
  told.strange_failures = [];
  told.strange_pages = 0;
  for (const strange of [null, 'text', -1e308, [1, 'a'], {a: 1}]) {
    const data = JSON.parse(original);
    const visit = value => {
      if (value === null || typeof value !== 'object') return;
      for (const name of Object.keys(value)) {
        const kept = value[name];
        value[name] = strange;
        if (++told.strange_pages % window.strange === 0)
          try {
            drawPage(data, nothing);
            for (const one of all('.failed')) told.strange_failures.push(`${name} = ${JSON.stringify(strange)}: ${one.textContent}`);
          } catch (error) { told.strange_failures.push(`${name} = ${JSON.stringify(strange)}: ${error.stack}`); }
        value[name] = kept;
        visit(kept);
      }
    };
    visit(data.documents);
  }

  tell();
})().catch(error => { document.title = 'driver: ' + error; });
