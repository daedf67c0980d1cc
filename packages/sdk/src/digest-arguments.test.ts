import { createHash } from 'node:crypto';
import { CAPS } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { Mandate } from './index.ts';

function scene() {
  const mandate = new Mandate({ agentId: 'bot', mandate: {} });
  const start = (args: object) => mandate.agent().start({ type: 'tool_call', tool: 'write', args });
  return { mandate, start };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('arguments that are too large', () => {
  test('have a digest in place of each text above the cap, and run as they are', async () => {
    const { start } = scene();
    const long = 'ä'.repeat(CAPS.stringUnits + 1);
    const args = { path: '/tmp/a', parts: [{ long }, 'b'.repeat(CAPS.stringUnits)] };
    const running = await start(args);
    expect(running.args).toEqual(args);
    const $digested = { type: 'string', sha256: sha256(long), length: long.length, prefix: 'ä'.repeat(80) };
    expect(running.action).toMatchObject({
      args: { ...args, parts: [{ long: { $digested } }, args.parts[1]] },
    });
  });

  test('with many texts that are too large together keep the shortest texts', async () => {
    const { start } = scene();
    const args = {
      short: 'short',
      ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`t${n}`, 'x'.repeat(20_000)])),
    };
    const { action, args: whole } = await start(args);
    expect(whole).toEqual(args);
    expect(action).toMatchObject({ args: { short: 'short', t0: { $digested: { length: 20_000 } } } });
  });

  test('with lists of too many elements have a digest in place of each list', async () => {
    const { start } = scene();
    const rows = Array.from({ length: 60_000 }, (_, n) => n);
    const { action, args } = await start({ path: '/tmp/a', rows });
    expect(args).toEqual({ path: '/tmp/a', rows });
    expect(action).toMatchObject({
      args: { path: '/tmp/a', rows: { $digested: { type: 'array', sha256: sha256(JSON.stringify(rows)) } } },
    });
  });

  test('have a prefix that is valid text, even if it ends within a character', async () => {
    const { start } = scene();
    const { action } = await start({ text: `${'a'.repeat(79)}😀${'b'.repeat(CAPS.stringUnits)}` });
    expect(action).toMatchObject({ args: { text: { $digested: { prefix: `${'a'.repeat(79)}\ufffd` } } } });
  });

  test('differ if only the end of a text differs', async () => {
    const { mandate } = scene();
    const tools = mandate.createExecutor();
    const content = 'x'.repeat(100_000);
    const run = (text: string) =>
      tools.run('write', { text }, () => null, { idempotencyKey: 'k' }).catch(({ decision }) => decision);
    await run(`${content}a`);
    expect((await run(`${content}b`)).duplicateOf).toMatchObject({ samePayload: false });
    expect((await run(`${content}a`)).duplicateOf).toMatchObject({ samePayload: true });
  });

  test('that are too large even with digests are refused', async () => {
    const { start } = scene();
    const args = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field-${n}`, 'x'.repeat(60)]));
    await expect(start(args)).rejects.toMatchObject({ code: 'INVALID_ACTION' });
  });
});
