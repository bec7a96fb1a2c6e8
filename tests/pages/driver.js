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

  const saved = [];
  URL.createObjectURL = blob => (saved.push(blob), '#');
  document.querySelector('[data-save=json]').click();
  table.caption.querySelector('button').click();
  told.saved = JSON.parse(await saved[0].text());
  told.csv = await saved[1].text();
  told.unlabelled = all('button').filter(button => !button.textContent.trim()).length +
    all('svg[role=img]:not([aria-label]), img:not([alt])').length;

  const result = document.createElement('pre');
  result.id = 'told';
  result.textContent = JSON.stringify(told);
  document.body.append(result);
})().catch(error => { document.title = 'driver: ' + error; });
