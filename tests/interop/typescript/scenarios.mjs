// Drives a gateway with the protocol's own TypeScript client, and prints what came of each scenario as one JSON object.
//
//     node scenarios.mjs everything http URL
//     node scenarios.mjs shop stdio COMMAND ARGUMENT...
//
// Judges nothing: a scenario's outcome is what the client gave, or {"error": {code, message, data}} where it threw.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

const TIMEOUT = 10_000;
const FILLED_IN = { name: 'Ada', color: 'blue', ok: true, context: 'the moon' };
const [wanted, front, ...server] = process.argv.slice(2);
const fronts = {
  http: () => new StreamableHTTPClientTransport(new URL(server[0])),
  stdio: () => new StdioClientTransport({ command: server[0], args: server.slice(1), stderr: 'ignore' }),
};

// What one connection has heard and was asked.
class Heard {
  logs = [];
  questions = [];
  changes = [];
  action = 'accept';
  #waiting = [];

  tell(change) {
    this.changes.push(change);
    for (const look of this.#waiting.splice(0)) look();
  }

  // Until so many changes were told of since the last look; gives them.
  async take(count) {
    const start = Date.now();
    while (this.changes.length < count) {
      const left = TIMEOUT - (Date.now() - start);
      if (left <= 0) throw new Error(`heard only of ${JSON.stringify(this.changes)}`);
      await new Promise((resolve) => {
        this.#waiting.push(resolve);
        setTimeout(resolve, left).unref();
      });
    }
    return this.changes.splice(0);
  }
}

async function connect({ capabilities = { elicitation: {}, sampling: {}, roots: {} } } = {}) {
  const heard = new Heard();
  const client = new Client({ name: 'scenarios', version: '1' }, { capabilities });
  if (capabilities.elicitation) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      heard.questions.push({ message: params.message, schema: params.requestedSchema });
      if (heard.action !== 'accept') return { action: heard.action };
      const names = Object.keys(params.requestedSchema.properties).filter((name) => name in FILLED_IN);
      return { action: 'accept', content: Object.fromEntries(names.map((name) => [name, FILLED_IN[name]])) };
    });
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
      heard.questions.push(params);
      return { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'tiny' };
    });
    client.setRequestHandler(ListRootsRequestSchema, () => {
      heard.questions.push('roots');
      return { roots: [{ uri: 'file:///home/ada', name: 'home' }] };
    });
  }
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.logs.push(params));
  for (const schema of [ToolListChangedNotificationSchema, PromptListChangedNotificationSchema])
    client.setNotificationHandler(schema, ({ method }) => heard.tell(method));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard.tell(params.uri));
  const transport = fronts[front]();
  await client.connect(transport);
  return { client, heard, transport };
}

const call = ({ client }, name, args = {}, options = {}) =>
  client.callTool({ name, arguments: args }, undefined, { timeout: TIMEOUT, ...options });

async function failing(promise) {
  try {
    return { result: await promise };
  } catch (error) {
    return { error: { code: error.code, message: error.message, data: error.data } };
  }
}

const ask = (name, args) => async (talk) => {
  const { content } = await call(talk, name, args);
  return { content, questions: talk.heard.questions.splice(0) };
};

const refuse = (action) => async (talk) => {
  talk.heard.action = action;
  const answer = await ask('test_input_required_result_elicitation')(talk);
  talk.heard.action = 'accept';
  return answer;
};

const everything = {
  introduction: ({ client, transport }) => ({
    name: client.getServerVersion().name,
    capabilities: client.getServerCapabilities(),
    hasSession: front === 'http' ? typeof transport.sessionId === 'string' : null,
  }),
  ping: ({ client }) => client.ping(),
  tools: async ({ client }) => (await client.listTools()).tools.map(({ name }) => name),
  simple_text: (talk) => call(talk, 'test_simple_text'),
  image: (talk) => call(talk, 'test_image_content'),
  audio: (talk) => call(talk, 'test_audio_content'),
  embedded_resource: (talk) => call(talk, 'test_embedded_resource'),
  mixed: (talk) => call(talk, 'test_multiple_content_types'),
  structured: (talk) => call(talk, 'add_numbers', { a: 2, b: 3.5 }),
  failure: (talk) => call(talk, 'test_error_handling'),
  unknown_tool: (talk) => failing(call(talk, 'no_such_tool')),
  progress: async (talk) => {
    const told = [];
    const { content } = await call(talk, 'test_tool_with_progress', {}, { onprogress: (one) => told.push(one) });
    return { content, told };
  },
  logs: async (talk) => {
    await talk.client.setLoggingLevel('info');
    const { content } = await call(talk, 'test_tool_with_logging');
    const lines = talk.heard.logs.splice(0);
    await talk.client.setLoggingLevel('error');
    await call(talk, 'test_tool_with_logging');
    return { content, lines, lines_of_errors: talk.heard.logs.splice(0) };
  },
  sampling: ask('test_sampling', { prompt: 'Capital of France?' }),
  elicitation: ask('test_input_required_result_elicitation'),
  declined: refuse('decline'),
  cancelled: refuse('cancel'),
  roots: ask('test_input_required_result_list_roots'),
  all_at_once: ask('test_input_required_result_multiple_inputs'),
  twice: ask('test_input_required_result_multi_round'),
  by_a_stream: ask('test_streaming_elicitation'),
  choices: ask('test_elicitation_sep1330_enums'),
  defaults: ask('test_elicitation_sep1034_defaults'),
  many_at_once: async (talk) => {
    const numbers = [...Array(8).keys()];
    const results = await Promise.all(numbers.map((one) => call(talk, 'test_sampling', { prompt: `question ${one}` })));
    const asked = talk.heard.questions.splice(0).map(({ messages }) => messages[0].content.text);
    return { texts: results.map(({ content }) => content[0].text), asked: asked.sort() };
  },
  mute: async () => {
    const talk = await connect({ capabilities: {} });
    try {
      return {
        model: await failing(call(talk, 'test_missing_capability')),
        user: await failing(call(talk, 'test_input_required_result_elicitation')),
        neither: await call(talk, 'greet', { name: 'Ada' }),
      };
    } finally {
      await talk.client.close();
    }
  },
  resources: ({ client }) => client.listResources(),
  templates: ({ client }) => client.listResourceTemplates(),
  read_text: ({ client }) => client.readResource({ uri: 'test://static-text' }),
  read_binary: ({ client }) => client.readResource({ uri: 'test://static-binary' }),
  read_template: ({ client }) => client.readResource({ uri: 'test://template/7/data' }),
  unknown_resource: ({ client }) => failing(client.readResource({ uri: 'test://nowhere' })),
  subscribe: async ({ client }) => ({
    known: await client.subscribeResource({ uri: 'test://watched-resource' }),
    unknown: await failing(client.subscribeResource({ uri: 'test://nowhere' })),
    undone: await client.unsubscribeResource({ uri: 'test://watched-resource' }),
  }),
  prompts: ({ client }) => client.listPrompts(),
  prompt: ({ client }) => client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'é', arg2: 'b' } }),
  prompt_with_image: ({ client }) => client.getPrompt({ name: 'test_prompt_with_image' }),
  prompt_with_resource: ({ client }) =>
    client.getPrompt({ name: 'test_prompt_with_embedded_resource', arguments: { resourceUri: 'test://other' } }),
  prompt_that_asks: async ({ client, heard }) => {
    const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' });
    return { messages, questions: heard.questions.splice(0).map(({ message }) => message) };
  },
  unknown_prompt: ({ client }) => failing(client.getPrompt({ name: 'nothing' })),
  completion: ({ client }) =>
    client.complete({
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'par' },
    }),
  changes: async (talk) => {
    await talk.client.ping();
    talk.heard.changes.splice(0);
    const seen = [];
    for (const _ of ['comes', 'goes']) {
      await call(talk, 'test_trigger_tool_change');
      const changes = await talk.heard.take(1);
      const { tools } = await talk.client.listTools();
      seen.push({ changes, is_there: tools.some(({ name }) => name === 'test_passing_tool') });
      await call(talk, 'test_trigger_prompt_change');
      const more = await talk.heard.take(1);
      const { prompts } = await talk.client.listPrompts();
      seen.push({ changes: more, is_there: prompts.some(({ name }) => name === 'test_passing_prompt') });
    }
    return seen;
  },
  given_up: async (talk) => {
    const timed_out = await failing(call(talk, 'slow_compute', { seconds: 60 }, { timeout: 300 }));
    const abandon = new AbortController();
    const abandoned = failing(call(talk, 'slow_compute', { seconds: 60 }, { signal: abandon.signal }));
    setTimeout(() => abandon.abort('enough'), 300);
    const { error } = await abandoned;
    const after = await call(talk, 'slow_compute', { seconds: 0.1, label: 'x' });
    return { timed_out: timed_out.error.code, abandoned: error !== undefined, after: after.content };
  },
  // The last one: there is no session afterwards.
  farewell: async ({ client, transport }) => {
    if (front !== 'http') return null;
    const { sessionId } = transport;
    await transport.terminateSession();
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = { method: 'POST', headers: { ...headers, 'mcp-session-id': sessionId }, body: JSON.stringify(message) };
    return { status: (await fetch(server[0], body)).status };
  },
};

const shop = {
  tools: async ({ client }) => (await client.listTools()).tools.map(({ _meta }) => _meta['dev.propylon/rpc']),
  // The client holds the structured content of each to the tool's output schema.
  results: async (talk) => ({
    order: (await call(talk, 'demo_shop_v1_OrderService_GetOrder', { id: 'o-1001' })).structuredContent.order.total,
    absent: await call(talk, 'demo_shop_v1_OrderService_GetOrder', { id: 'o-9' }),
    tree: Object.keys((await call(talk, 'demo_shop_v1_StockService_GetCategoryTree')).structuredContent),
    customers: (await call(talk, 'demo_shop_v1_CustomerService_ListCustomers', { pageSize: 2 })).structuredContent
      .customers.length,
    movements: (await call(talk, 'demo_shop_v1_StockService_ListStockMovements', { sku: 'mug-blue' })).structuredContent
      .messages.length,
  }),
  wrong_argument: (talk) => call(talk, 'demo_shop_v1_OrderService_GetOrder', { order: 'o-1001' }),
  crash: (talk) => failing(call(talk, 'demo_shop_v1_DiagnosticsService_Crash')),
};

const talk = await connect();
const outcomes = {};
for (const [name, play] of Object.entries({ everything, shop }[wanted])) {
  try {
    outcomes[name] = await play(talk);
  } catch (error) {
    outcomes[name] = { threw: String(error.stack) };
  }
}
await talk.client.close();
console.log(JSON.stringify(outcomes));
process.exit(0);
