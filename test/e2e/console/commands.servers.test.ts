/** The commands that the pages of the console offer. */
import { execFileSync } from 'node:child_process';
import { describeWithChromium } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runMandate } from '../cli/run-mandate.ts';
import { openScene } from './console-scene.ts';
import { PAGES } from './every-page.ts';

const FILTERED = [
  '/decisions?agent=worker&verdict=ALLOW&minChargedMicros=1&maxChargedMicros=900000&from=7d&type=tool_call',
  "/decisions?actionId=a&parentAction=b&principal=it's&policy=reads@1&rule=r&trace=0af7651916cd43dd8448eb211c80319c&text=x y&code=ALLOWED",
  '/spend?by=tool&from=30d&agent=worker',
  '/approvals?agent=payer&state=all',
  '/changes?agent=worker&event=agent.killed&by=me&subject=reads&from=24h',
  '/changes?show=refused&key=k&route=/v1/agents',
  '/what-if?agent=worker&tool=search',
];

/** No command shows what these pages show. What-if has one as soon as an agent is chosen. */
const WITHOUT_COMMAND: ReadonlySet<string> = new Set(['/what-if', '/system']);

describeWithChromium('the commands of the console', () => {
  test('work, for every page and every filter', async () => {
    await using scene = await openScene();
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    const env = { MANDATE_URL: scene.url, MANDATE_API_KEY: scene.key('viewer') };
    for (const path of [...PAGES, ...FILTERED, `/decisions/${scene.ids.deferred}`]) {
      await page.goto(path);
      await page.getByRole('button', { name: 'Copy as' }).click();
      await page.getByRole('menuitem', { name: 'Link' }).waitFor();
      const lines = await page.getByRole('menuitem').locator('code').allTextContents();
      expect([path, lines.length]).toEqual([path, WITHOUT_COMMAND.has(path) ? 0 : 1]);
      for (const line of lines) {
        const { exitCode, stderr } = await runMandate(wordsOf(line), { env });
        expect([line, exitCode, stderr]).toEqual([line, 0, expect.anything()]);
      }
    }
  });
});

/** Returns the words of a command line after `mandate`. */
function wordsOf(line: string): string[] {
  return execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(1, -1);
}
