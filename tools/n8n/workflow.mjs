// Runs a workflow of MCP Client nodes as n8n does, through the public TypeScript
// client: workflow.mjs WORKFLOW ENDPOINT, with the bearer token in ROAM_MCP_TOKEN.
//
// Each node opens a session, calls its tool and closes the session; texts that are JSON
// are decoded. The output is a line of JSON for each node, with its name and what it
// answers. A node that fails ends the workflow, with "error" in its line.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [path, endpoint] = process.argv.slice(2);
const workflow = JSON.parse(readFileSync(path, "utf8"));
const type = "@n8n/n8n-nodes-langchain.mcpClient";
const outputs = {};

// expression evaluates what stands in {{ }} of a parameter that begins with "=".
function expression(text, $json) {
  if (!text.startsWith("=")) return text;
  const $ = (name) => ({ item: { json: outputs[name] } });
  return text.slice(1).replace(/\{\{(.*?)\}\}/gs, (_, code) => new Function("$json", "$", `return ${code}`)($json, $));
}

function decoded(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function run(node, $json) {
  const { parameters } = node;
  if (parameters.serverTransport !== "httpStreamable" || parameters.authentication !== "bearerAuth") {
    throw new Error(`${node.name} is not of the kind that is run here`);
  }
  const client = new Client({ name: type, version: String(node.typeVersion) }, { capabilities: {} });
  const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
    requestInit: { headers: { Authorization: `Bearer ${process.env.ROAM_MCP_TOKEN}` } },
  });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const name = parameters.tool.value;
    if (!tools.some((tool) => tool.name === name)) throw new Error(`there is no tool ${name}`);
    const result = await client.callTool({ name, arguments: JSON.parse(expression(parameters.jsonInput, $json)) });
    return { content: result.content.map((each) => (each.type === "text" ? { ...each, text: decoded(each.text) } : each)) };
  } finally {
    await transport.terminateSession();
    await client.close();
  }
}

let name = workflow.nodes.find((node) => node.type.endsWith("Trigger")).name;
let $json = {};
while ((name = workflow.connections[name]?.main[0][0].node)) {
  try {
    $json = outputs[name] = await run(workflow.nodes.find((node) => node.name === name), $json);
  } catch (error) {
    console.log(JSON.stringify({ node: name, error: { code: error.code, message: error.message, data: error.data } }));
    process.exitCode = 1;
    break;
  }
  console.log(JSON.stringify({ node: name, json: $json }));
}
