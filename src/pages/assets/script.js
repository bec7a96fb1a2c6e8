(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, text, label) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (name === 'button') element.type = 'button';
    if (label) element.setAttribute('aria-label', label), element.title = label;
    return element;
  };
  const save = (name, type, text) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const file = document.title.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'sparsecast';

  // The data that drew the page.
  for (const tools of all('.tools')) tools.hidden = false;
  const data = () => JSON.parse(document.getElementById('data').textContent);
  for (const button of all('[data-save=json]'))
    button.onclick = () => save(file + '.json', 'application/json', JSON.stringify(data(), null, 2) + '\n');

  // Tables: a click on a heading sorts, a button saves.
  const key = cell => !cell ? '' : cell.dataset.v !== undefined ? +cell.dataset.v : cell.textContent;
  const order = (a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b
    : typeof a === 'number' ? -1 : typeof b === 'number' ? 1
    : a.localeCompare(b, 'en', {numeric: true});
  const sort = heading => {
    const up = heading.getAttribute('aria-sort') !== 'ascending';
    for (const other of heading.parentNode.cells) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const body = heading.closest('table').tBodies[0], column = heading.cellIndex;
    const known = row => typeof key(row.cells[column]) === 'number' || row.cells[column].textContent.trim() !== '–';
    body.append(...[...body.rows].sort((a, b) =>
      known(b) - known(a) || (up ? 1 : -1) * order(key(a.cells[column]), key(b.cells[column]))));
  };
  const csv = table => {
    const columns = [...table.tHead.rows[0].cells].filter(cell => cell.dataset.name !== undefined);
    const quote = text => /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    const text = cell => cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.replace(/^–$/, '');
    const lines = [columns.map(cell => quote(cell.dataset.name))];
    for (const row of table.tBodies[0].rows) lines.push(columns.map(cell => quote(text(row.cells[cell.cellIndex]))));
    return lines.map(line => line.join(',') + '\n').join('');
  };
  for (const table of all('table[id]')) {
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.dataset.name === undefined) continue;
      const button = make('button', heading.textContent || 'remark');
      heading.replaceChildren(button);
      button.onclick = () => sort(heading);
    }
    const button = make('button', 'CSV', 'Save this table as CSV');
    button.onclick = () => save(file + '-' + table.id + '.csv', 'text/csv', csv(table));
    table.caption.append(button);
  }

  // What a mark says, to the pointer, the finger and the arrow keys.
  const tip = make('div', '');
  tip.className = 'tip';
  tip.id = 'tip';
  tip.hidden = true;
  tip.setAttribute('role', 'status');
  document.body.append(tip);
  const show = (mark, x, y) => {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const size = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - size.width - 4)) + 'px';
    tip.style.top = (y + 18 + size.height > innerHeight ? Math.max(4, y - size.height - 10) : y + 18) + 'px';
  };
  const hide = () => { tip.hidden = true; for (const mark of all('.at')) mark.classList.remove('at'); };
  addEventListener('pointermove', event => {
    const mark = event.target.closest && event.target.closest('[data-tip]');
    if (mark) show(mark, event.clientX, event.clientY); else if (!tip.hidden && !all('.at').length) hide();
  });
  addEventListener('scroll', hide, {passive: true});
  const step = (box, by) => {
    const marks = all('[data-tip]', box);
    if (!marks.length) return;
    const now = marks.findIndex(mark => mark.classList.contains('at'));
    hide();
    const mark = marks[now < 0 ? (by > 0 ? 0 : marks.length - 1) : (now + by + marks.length) % marks.length];
    mark.classList.add('at');
    const place = mark.getBoundingClientRect();
    show(mark, place.left + place.width / 2, place.top + place.height / 2);
  };

  // Pictures grow within their frame.
  for (const box of all('.zoomed')) {
    let zoom = 1;
    const set = to => {
      zoom = Math.max(1, Math.min(16, to));
      box.style.setProperty('--zoom', zoom);
      less.disabled = zoom === 1;
    };
    const tools = make('span', '');
    const less = make('button', '−', 'Smaller'), more = make('button', '+', 'Larger');
    less.onclick = () => set(zoom / 1.5);
    more.onclick = () => set(zoom * 1.5);
    tools.append(less, more);
    box.parentNode.querySelector('figcaption').append(tools);
    set(1);
    box.addEventListener('wheel', event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      set(zoom * (event.deltaY < 0 ? 1.2 : 1 / 1.2));
    }, {passive: false});
    box.addEventListener('keydown', event => {
      const keys = {ArrowRight: () => step(box, 1), ArrowLeft: () => step(box, -1), Escape: hide,
                    '+': () => set(zoom * 1.5), '-': () => set(zoom / 1.5), '0': () => set(1)};
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    box.addEventListener('blur', hide);
  }
  addEventListener('beforeprint', () => { for (const part of all('details')) part.open = true; });
})();
