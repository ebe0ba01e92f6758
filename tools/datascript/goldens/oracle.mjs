// Answers cases with the npm package datascript 1.8.1. It reads one JSON line
// with the graph and then one line per case, and writes one line per answer:
// {"ok": answer}, {"error": message}, or {"slow": true} where one took longer than
// the limit in seconds or more than the memory of a process. The cases are answered
// in a process of their own, which is replaced after such a one.
//
// Roam runs DataScript from ClojureScript, where attributes are keywords. The
// package's JavaScript face turns them into text when it makes a database, so
// that one step is given back its default here.
import {fork} from 'node:child_process';
import {openSync, readFileSync, writeSync} from 'node:fs';
import {createRequire} from 'node:module';

const [packageFolder, inputFile, outputFile, limit] = process.argv.slice(2);

function load() {
  const file = createRequire(packageFolder + '/').resolve('datascript');
  const source = readFileSync(file, 'utf8');
  const keepsText = 'function IA(a){var b=tf(new n(null,1,[dm,re],null))';
  if (source.split(keepsText).length !== 2) throw new Error('this is not datascript 1.8.1 as published');
  const module = {exports: {}};
  new Function('module', 'exports', source.replace(keepsText, 'function IA(a){var b=tf(null)')).call({}, module, module.exports);
  return module.exports;
}

const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
const split = name => { const i = name.indexOf('/'); return i < 0 ? ['', name.slice(1)] : [name.slice(1, i), name.slice(i + 1)]; };
const compareKeywords = (a, b) => { const x = split(a), y = split(b); return compare(x[0], y[0]) || compare(x[1], y[1]); };
const rank = v => typeof v === 'object' ? 2 : typeof v === 'string' ? 1 : 0;
const compareValues = (a, b) => rank(a) - rank(b) || (rank(a) === 2 ? compare(JSON.stringify(a), JSON.stringify(b)) : compare(a, b));

// graph: {schema: EDN, indexed: [attribute], datoms: [[e, a, v]]}; a value is a
// number, text, a boolean, {kw: keyword} or {edn: text}.
function makeDB(datascript, graph) {
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

function answerCases() {
  const datascript = load();
  const db = makeDB(datascript, JSON.parse(lines[0]));
  process.on('message', i => {
    const c = JSON.parse(lines[i]);
    let answer;
    try {
      const ok = c.pattern ? datascript.pull(db, c.pattern, c.entity) : datascript.q(c.query, db, ...(c.inputs || []));
      answer = {ok: ok === undefined ? null : ok};
    } catch (e) {
      answer = {error: String(e && e.message || e)};
    }
    process.send(JSON.stringify(answer));
  });
  process.send('ready');
}

function askForAll() {
  const out = openSync(outputFile, 'w');
  let next = 1;
  const begin = () => {
    const child = fork(process.argv[1], process.argv.slice(2), {execArgv: ['--max-old-space-size=2000'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {...process.env, ANSWERS: '1'}});
    let timer, ready = false;
    const ask = () => {
      if (next === lines.length) return child.disconnect();
      timer = setTimeout(() => child.kill('SIGKILL'), limit * 1000);
      child.send(next);
    };
    child.on('message', text => {
      if (ready) {
        clearTimeout(timer);
        writeSync(out, text + '\n');
        next++;
      }
      ready = true;
      ask();
    });
    child.on('exit', () => {
      clearTimeout(timer);
      if (next === lines.length) return;
      if (!ready) throw new Error('DataScript does not start');
      writeSync(out, '{"slow":true}\n');
      next++;
      begin();
    });
  };
  begin();
}

if (process.env.ANSWERS) answerCases();
else askForAll();
