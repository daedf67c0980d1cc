/**
 * `npm run test:claude-agent`: tests the hooks in the real Claude Agent SDK, in every mode. The SDK contains a program of
 * 400 MB, so it is installed into a temporary folder, or taken from the folder in CLAUDE_AGENT_SDK. The model is a local
 * server.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReceivedRequest } from '@mandate/testing/model-server';
import { startModelServer } from '@mandate/testing/model-server';
import { cases, type Run, type Sdk, TOOL } from './cases.ts';
import { modes } from './modes.ts';

const VERSION = '0.3.332';
const temporary = mkdtempSync(join(tmpdir(), 'mandate-claude-agent-'));
const given = process.env.CLAUDE_AGENT_SDK;
const folder = given ?? install();

function install(): string {
  writeFileSync(join(temporary, 'package.json'), '{"private":true,"type":"module"}');
  const packages = [`@anthropic-ai/claude-agent-sdk@${VERSION}`, 'zod@4'];
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--save-exact', ...packages], {
    cwd: temporary,
    stdio: 'inherit',
  });
  return temporary;
}

async function load(name: string): Promise<unknown> {
  const path = createRequire(join(folder, 'package.json')).resolve(name);
  return import(pathToFileURL(path).href);
}

/** Asks for the tool in the first turn of a conversation, and then says that it is done. */
function reply({ body }: ReceivedRequest) {
  const tools: { name: string }[] = body?.tools ?? [];
  const messages: { content: unknown }[] = body?.messages ?? [];
  const hasResult = JSON.stringify(messages).includes('"tool_result"');
  if (tools.length === 0 || hasResult) return { text: 'Done.' };
  const agent = tools.find(({ name }) => name === 'Agent' || name === 'Task');
  const asksSubagent = JSON.stringify(messages[0]?.content ?? '').includes('Ask the payer');
  if (agent !== undefined && asksSubagent) {
    const args = { description: 'Pay Ann', prompt: 'Pay Ann.', subagent_type: 'payer' };
    return { toolCalls: [{ name: agent.name, args, id: `toolu_${messages.length}_agent` }] };
  }
  return { toolCalls: [{ name: TOOL, args: { to: 'ann' }, id: 'toolu_pay_1' }] };
}

const server = await startModelServer(reply);
const sdk = (await load('@anthropic-ai/claude-agent-sdk')) as Sdk;
const { z } = (await load('zod')) as { z: { string(): unknown } };

/** Runs one query. Returns whether its tool ran, and the result. */
const run: Run = async ({ hooks, prompt = 'Pay Ann.', more = {}, home }) => {
  let runs = 0;
  const pay = sdk.tool('pay', 'pays', { to: z.string() }, async () => {
    runs += 1;
    return { content: [{ type: 'text', text: 'paid' }] };
  });
  const { PATH } = process.env;
  const query = sdk.query({
    prompt,
    options: {
      hooks,
      cwd: home,
      settingSources: [],
      maxTurns: 6,
      model: 'claude-opus-5',
      mcpServers: { bank: sdk.createSdkMcpServer({ name: 'bank', version: '1.0.0', tools: [pay] }) },
      allowedTools: [TOOL, 'Agent', 'Task'],
      env: {
        ...{ PATH, HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude'), IS_SANDBOX: '1' },
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-test',
        ENABLE_TOOL_SEARCH: 'false',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
      ...more,
    },
  });
  let result: Record<string, unknown> = {};
  for await (const message of query) if (message.type === 'result') result = message;
  return { runs, result };
};

let failures = 0;
for (const [name, start] of Object.entries(modes(join(temporary, 'plane')))) {
  const mode = await start();
  for (const [title, check] of Object.entries(cases)) {
    const home = mkdtempSync(join(temporary, 'home-'));
    try {
      await check((options) => run({ home, ...options }), mode);
      console.log(`ok    ${name}: ${title}`);
    } catch (error) {
      failures += 1;
      console.log(`FAILS ${name}: ${title}: ${error}`);
    }
  }
  await mode.stop();
}
await server.close();
rmSync(temporary, { recursive: true, force: true });
// Instances of the cases are still open.
process.exit(failures === 0 ? 0 : 1);
