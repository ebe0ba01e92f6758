// Answers cases with the npm package datascript 1.8.1. It reads one JSON line
// with the graph and then one line per case, and writes one line per answer:
// {"ok": answer} or {"error": message}.
//
// Roam runs DataScript from ClojureScript, where attributes are keywords. The
// package's JavaScript face turns them into text when it makes a database, so
// that one step is given back its default here.
import {openSync, readFileSync, writeSync} from 'node:fs';
import {createRequire} from 'node:module';

const [packageFolder, inputFile, outputFile] = process.argv.slice(2);
const file = createRequire(packageFolder + '/').resolve('datascript');
const source = readFileSync(file, 'utf8');
const keepsText = 'function IA(a){var b=tf(new n(null,1,[dm,re],null))';
if (source.split(keepsText).length !== 2) throw new Error('this is not datascript 1.8.1 as published');
const module = {exports: {}};
new Function('module', 'exports', source.replace(keepsText, 'function IA(a){var b=tf(null)')).call({}, module, module.exports);
const datascript = module.exports;

const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
const split = name => { const i = name.indexOf('/'); return i < 0 ? ['', name.slice(1)] : [name.slice(1, i), name.slice(i + 1)]; };
const compareKeywords = (a, b) => { const x = split(a), y = split(b); return compare(x[0], y[0]) || compare(x[1], y[1]); };
const rank = v => typeof v === 'object' ? 2 : typeof v === 'string' ? 1 : 0;
const compareValues = (a, b) => rank(a) - rank(b) || (rank(a) === 2 ? compare(JSON.stringify(a), JSON.stringify(b)) : compare(a, b));

// graph: {schema: EDN, indexed: [attribute], datoms: [[e, a, v]]}; a value is a
// number, text, a boolean, {kw: keyword} or {edn: text}.
function makeDB(graph) {
  const tx0 = 536870912;
  const attrs = [...new Set(graph.datoms.map(d => d[1]))].sort(compareKeywords);
  const numbers = new Map(attrs.map((a, i) => [a, i]));
  const keywords = [];
  const value = v => {
    if (v === null || typeof v !== 'object') return v;
    if (!('kw' in v)) return [1, v.edn];
    if (!keywords.includes(v.kw)) keywords.push(v.kw);
    return [0, keywords.indexOf(v.kw)];
  };
  const datoms = graph.datoms.map(d => [d[0], numbers.get(d[1]), d[2]]);
  datoms.sort((a, b) => a[0] - b[0] || a[1] - b[1] || compareValues(a[2], b[2]));
  const at = datoms.map((_, i) => i);
  const byAttr = (i, j) => datoms[i][1] - datoms[j][1];
  const aevt = at.slice().sort((i, j) => byAttr(i, j) || datoms[i][0] - datoms[j][0] || compareValues(datoms[i][2], datoms[j][2]));
  const indexed = new Set(graph.indexed);
  const avet = at.filter(i => indexed.has(attrs[datoms[i][1]]))
    .sort((i, j) => byAttr(i, j) || compareValues(datoms[i][2], datoms[j][2]) || datoms[i][0] - datoms[j][0]);
  return datascript.from_serializable({
    count: datoms.length, tx0, 'max-eid': datoms[datoms.length - 1][0], 'max-tx': tx0 + 1, schema: graph.schema,
    attrs, keywords, eavt: datoms.map(d => [d[0], d[1], value(d[2]), 1]), aevt, avet,
  });
}

const lines = readFileSync(inputFile, 'utf8').split('\n').filter(Boolean);
const db = makeDB(JSON.parse(lines[0]));
const out = openSync(outputFile, 'w');
const answer = a => writeSync(out, JSON.stringify(a) + '\n');
for (const line of lines.slice(1)) {
  const started = Date.now();
  const c = JSON.parse(line);
  try {
    const ok = c.pattern ? datascript.pull(db, c.pattern, c.entity) : datascript.q(c.query.replace(/[\]}]$/, ' :timeout 3000$&'), db, ...(c.inputs || []));
    answer({ok: ok === undefined ? null : ok});
  } catch (e) {
    answer({error: String(e && e.message || e)});
  }
  if (Date.now() - started > 5000) console.error(`${Date.now() - started} ms: ${line}`);
}
