// Prints what datascript needs for a graph and for each query: the median of
// several runs, in milliseconds, and how many rows were found.
import {createReadStream} from 'node:fs';
import {createInterface} from 'node:readline';
import {createRequire} from 'node:module';

const [packages, graph] = process.argv.slice(2);
const datascript = createRequire(packages + '/')('datascript');
const ref = {':db/valueType': ':db.type/ref'}, many = {...ref, ':db/cardinality': ':db.cardinality/many'};
const identity = {':db/unique': ':db.unique/identity'};
const schema = {
  'block/uid': identity, 'node/title': identity, 'user/uid': identity,
  'block/children': many, 'block/refs': many, 'block/parents': many,
  'block/page': ref, 'create/user': ref, 'edit/user': ref,
};

let queries;
const datoms = [];
for await (const line of createInterface({input: createReadStream(graph)})) {
  const row = JSON.parse(line);
  if (!queries) queries = row;
  else datoms.push(row);
}
globalThis.gc();
const before = process.memoryUsage().heapUsed;
let started = performance.now();
const db = datascript.init_db(datoms, schema);
const built = performance.now() - started;
globalThis.gc();
console.log(`datoms\t${datoms.length}`);
console.log(`build\t${built.toFixed(0)} ms`);
console.log(`memory\t${((process.memoryUsage().heapUsed - before) / 2 ** 20).toFixed(0)} MB beside the datoms`);
for (const query of queries) {
  // The package's JavaScript face has attributes as text.
  const text = attributesAsText(query.Text), inputs = query.Rules ? [attributesAsText(query.Rules)] : [];
  const times = [];
  let rows;
  for (let spent = 0; times.length < 5 || (spent < 2000 && times.length < 50);) {
    started = performance.now();
    rows = datascript.q(text, db, ...inputs);
    times.push(performance.now() - started);
    spent += times.at(-1);
  }
  times.sort((a, b) => a - b);
  console.log(`${query.Name}\t${times[times.length >> 1].toFixed(3)} ms\t${Array.isArray(rows) ? rows.length : 1} rows`);
}

function attributesAsText(edn) {
  return edn.replace(/:((?:block|node|create|edit)\/[a-z-]+)/g, '"$1"');
}
