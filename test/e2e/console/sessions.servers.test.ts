/** The console in a real browser, in front of a real plane. Each test also fails if a page breaks its security policy. */
import { describeWithChromium } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScene, type Scene, signIn } from './console-scene.ts';

describeWithChromium('sessions of the console', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  test('signs in with a key that no script can read afterwards, and signs out', async () => {
    await using browser = await scene.look();
    const { page, context } = browser;
    expect(
      await page.evaluate('document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)'),
    ).not.toContain('sk-');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({
      name: '__Host-mandate',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    });
    expect(cookie?.value).not.toContain(scene.key('operator'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await context.cookies()).toEqual([]);
  });

  test('says why a key is refused, and what to do', async () => {
    await using browser = await scene.look();
    const { page } = browser;
    await page.goto('/sign-in');
    await page.getByLabel('API key').fill('sk-mdt_wrong');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('UNAUTHENTICATED');
  });

  test('a link with a key behind # signs in, and does not keep the key in the address', async () => {
    await using browser = await scene.look();
    const { page } = browser;
    await page.goto(`/sign-in?back=/spend#key=${scene.key('viewer')}`);
    await page.getByRole('heading', { name: 'Spend', exact: true }).waitFor();
    expect(page.url()).toBe(`${scene.url}/spend`);
  });

  test('opens one stream for eight tabs, and another tab takes over when the first closes', async () => {
    await using browser = await scene.look({ as: 'viewer' });
    const tabs = await Promise.all(Array.from({ length: 7 }, () => browser.newPage('/')));
    await Promise.all(tabs.map((tab) => tab.getByText('● live').waitFor()));
    // A stream that ended early is opened again, so only the number of streams at one time is certain.
    expect(browser.mostStreams()).toBe(1);
    const before = browser.streams();
    await browser.page.close();
    await expect.poll(browser.streams).toBeGreaterThan(before);
    const decision = await scene.call('many-tabs');
    const seen = tabs.map((tab) =>
      tab
        .getByRole('region', { name: 'Newest decisions' })
        .getByText(decision.agentId)
        .first()
        .waitFor({ timeout: 30_000 }),
    );
    await Promise.all(seen);
  });

  test('goes on after the plane was restarted, with nothing missed', async () => {
    await using browser = await scene.look();
    const { page } = browser;
    await page.getByText('● live').waitFor();
    await scene.restart();
    await scene.call('after-restart');
    await page
      .getByRole('region', { name: 'Newest decisions' })
      .getByText('after-restart')
      .waitFor({ timeout: 30_000 });
  });

  test('signs out when its key is revoked', async () => {
    await using browser = await scene.look({ as: 'admin' });
    const { page } = browser;
    await page.getByText('● live').waitFor();
    await scene.revoke('admin');
    await page.getByLabel('API key').waitFor({ timeout: 30_000 });
  });

  test('signs every tab out, and keeps nothing of a session for the next session', async () => {
    await using browser = await scene.look({ as: 'viewer' });
    const { page } = browser;
    const other = await browser.newPage('/');
    const { agentId } = await scene.call('of-the-viewer');
    await Promise.all([page, other].map((tab) => tab.getByText(agentId).first().waitFor()));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByLabel('API key').waitFor();
    // This key may not read the audit.
    await signIn(page, scene.key('publisher'));
    await page.getByText('FORBIDDEN').first().waitFor();
    expect(await page.getByText(agentId).count()).toBe(0);
  });

  test('shows the requested page after a new sign-in', async () => {
    await using browser = await scene.look();
    const { page, context } = browser;
    await context.clearCookies();
    await page.goto('/decisions?agent=worker');
    await page.getByLabel('API key').fill(scene.key('operator'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Decisions', exact: true }).waitFor();
    expect(page.url()).toBe(`${scene.url}/decisions?agent=worker`);
    await signIn(page, scene.key('operator'));
  });
});
