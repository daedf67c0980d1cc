/** The console in a real browser, in front of a real plane. Each test also fails if a page breaks its security policy. */
import { describeWithChromium } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFaults, openScene, type Scene } from './console-scene.ts';

describeWithChromium('the console for auditors and authors', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  test('keeps a search in its address, and explains one of its decisions', async () => {
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    await page.goto('/decisions');
    await page.getByLabel('Agent').focus();
    await page.locator('datalist option[value="spender"]').waitFor({ state: 'attached' });
    await page.getByLabel('Agent').fill('spender');
    await page.getByLabel('Verdict').selectOption('BLOCK');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => page.url()).toBe(`${scene.url}/decisions?agent=spender&verdict=BLOCK`);
    await page.getByRole('link', { name: 'delete_all' }).first().click();
    await page.getByRole('heading', { name: 'What would have changed it' }).waitFor();
    await page.getByText('TOOL_NOT_ALLOWED').first().waitFor();
    await page.getByText('This page has put').waitFor();
  });

  test('reads a long list as far as a person scrolls, and keeps few rows in the page', async () => {
    await scene.callMany('crawler', 700);
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    await page.goto('/decisions?agent=crawler');
    await page.getByText('100 decisions so far').waitFor();
    const rows = page
      .getByRole('region', { name: 'Table: Decisions found' })
      .locator('tbody tr[aria-rowindex]');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.closest("tr").ariaRowIndex')).toBe('3');
    await expect
      .poll(
        async () => {
          await page.keyboard.press('End');
          return page.getByText('700 decisions, and no earlier ones').count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    await page.keyboard.press('End');
    await expect.poll(() => rows.last().getAttribute('aria-rowindex')).toBe('701');
    expect(await rows.count()).toBeLessThan(100);
    const heightOf = () => page.evaluate<number>('document.documentElement.scrollHeight');
    const height = await heightOf();
    // Like End above: once, on a busy machine, Chromium lost the first press.
    await expect
      .poll(async () => {
        await page.keyboard.press('Home');
        return rows.first().getAttribute('aria-rowindex');
      })
      .toBe('2');
    expect(await heightOf()).toBe(height);
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Control+Home');
    await page.getByRole('main').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor();
  });

  test('finds a policy by a part of its name, and a decision by the beginning of the id of its action', async () => {
    const decision = await scene.call('looked-for');
    await scene.recorded(decision);
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command' }).fill('eads');
    await page.getByRole('option', { name: 'rule staff-reads, gives reads' }).waitFor();
    await page.getByRole('option', { name: 'policy reads' }).waitFor();
    await page.getByRole('combobox', { name: 'Command' }).fill(decision.actionId.slice(0, 12));
    await page.getByRole('option', { name: decision.id }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor();
    expect(page.url()).toBe(`${scene.url}/decisions/${decision.id}`);
  });

  test('finds faults of a policy while a person types it, and asks for a reason before it allows more', async () => {
    await using browser = await scene.look({ as: 'author' });
    const { page } = browser;
    await page.goto('/policies/reads');
    const editor = page.getByRole('textbox', { name: 'The policy reads' });
    await editor.waitFor({ timeout: 30_000 });
    const publish = page.getByRole('button', { name: /^Publish/ });
    await editor.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('\nallowedToools: [x]\n');
    await page.getByText('allowedToools: is not a known field').first().waitFor({ timeout: 30_000 });
    await expect.poll(() => publish.first().getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(
      'kind: policy\nversion: 1\nid: reads\nallowedTools: [search, read_file]\nmaxCostTotal: 5\n',
    );
    await page.getByRole('button', { name: 'Publish: it allows more in 1 place' }).click({ timeout: 30_000 });
    const does = page.getByRole('dialog').getByRole('button', { name: 'Let it through' });
    expect(await does.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('dialog').getByLabel('Reason').fill('the staff needs files');
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('rowheader', { name: '2, the newest' }).waitFor();

    await page.getByRole('cell', { name: 'the staff needs files' }).waitFor({ timeout: 30_000 });
    await page.getByRole('link', { name: 'compare with version 1' }).click();
    const differs = page.getByRole('region', { name: 'What differs' });
    await differs.getByText(/^Version 2 was published by .*because «the staff needs files»/).waitFor();
    const lines = differs.getByRole('region', { name: 'Changed lines' });
    await expect.poll(() => lines.textContent()).toContain('added:   - read_file');
    await differs.getByLabel('From').selectOption('version 2');
    await differs.getByLabel('To').selectOption('version 1');
    const taken = differs.getByRole('group', { name: 'What it takes away' });
    await taken.getByText('allowedTools: - read_file').waitFor();
    await differs.getByLabel('To').selectOption('the draft');
    await differs.getByText('The documents are equal.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.goto('/changes?event=policy.published&subject=reads');
    await page.getByRole('link', { name: 'Policy published' }).first().click();
    await page.getByRole('heading', { name: 'What differs from version 1' }).waitFor();
    await page
      .getByRole('group', { name: 'What it newly allows' })
      .getByText('allowedTools: + read_file')
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test('shows what a draft would change for each agent and tool', async () => {
    await scene.api('operator').post('/v1/agents/worker/kill', { reason: 'it went wrong' });
    await using browser = await scene.look({ as: 'author' });
    const { page } = browser;
    await page.goto('/what-if?policy=reads&tool=search');
    const editor = page.getByRole('textbox', { name: 'The policy reads' });
    await editor.waitFor({ timeout: 30_000 });
    await page.getByText('The draft changes no cell.').waitFor({ timeout: 30_000 });
    await editor.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('\ndeniedTools: [search]\n');
    await page.getByText('The draft changes 1 cell.').waitFor({ timeout: 30_000 });
    const taken = page.getByRole('group', { name: 'What it takes away' });
    await taken.getByText('deniedTools: + search').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    const write = async (text: string) => {
      await editor.focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(
        `kind: policy\nversion: 1\nid: reads\nallowedTools: [search, read_file]\n${text}\n`,
      );
    };
    await write('maxCostTotal: 1');
    await page
      .getByText('No cell of the table changes. The draft changes what stands below the table.')
      .waitFor({ timeout: 30_000 });
    await taken.getByText('maxCostTotal').waitFor();
    await page.getByText('money already spent, calls that rates have counted, kills').waitFor();
    await write('maxCostTotal: 5\ntoolPolicies: { search: { requiresConfirmation: true } }');
    await page.getByRole('cell', { name: 'ALLOW → DEFER' }).waitFor({ timeout: 30_000 });
    await page.getByText('The draft changes 1 cell.').waitFor();
    await page.getByRole('rowheader', { name: 'worker ■ killed' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});
