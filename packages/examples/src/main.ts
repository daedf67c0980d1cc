/**
 * Runs one example: `npm run example -- openai-basic`. A model server on this machine answers in place of a provider, so
 * neither a key nor a network is needed.
 */
import { startModelServer } from '@mandate/testing/model-server';
import { EXAMPLES } from './examples.ts';

process.exitCode = await main(process.argv[2]);

async function main(name: string | undefined): Promise<number> {
  const example = name !== undefined && Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : undefined;
  if (example === undefined) {
    const names = Object.entries(EXAMPLES).map(([one, { shows }]) => `  ${one.padEnd(18)} ${shows}`);
    const isHelp = name === undefined || name === '--help' || name === '-h';
    process[isHelp ? 'stdout' : 'stderr'].write(
      `Usage: npm run example -- NAME\n\n${names.join('\n')}\n\nThe source of each is packages/examples/src/NAME.ts.\n`,
    );
    return isHelp ? 0 : 2;
  }
  await using models = await startModelServer(example.replies ?? {});
  // The SDKs of the providers read their address and key from here.
  Object.assign(process.env, {
    OPENAI_BASE_URL: models.openaiUrl,
    OPENAI_API_KEY: 'none-is-needed',
    ANTHROPIC_BASE_URL: models.url,
    ANTHROPIC_API_KEY: 'none-is-needed',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  });
  await example.run();
  return 0;
}
