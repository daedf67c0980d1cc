/** People sign in through an identity provider of another site, in a real browser, in front of a real plane. */
import { writeFileSync } from 'node:fs';
import { dataFolder } from '@mandate/runtime';
import { describeWithChromium, waitUntil } from '@mandate/testing';
import { startIdentityProvider, type TestIdentityProvider } from '@mandate/testing/identity-provider';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFaults, openScene, type Scene } from './console-scene.ts';

describeWithChromium('signing in through an identity provider', () => {
  let scene: Scene;
  let provider: TestIdentityProvider;
  beforeAll(async () => {
    scene = await openScene();
    const callback = `${scene.url}/v1/signin/oidc/callback`;
    provider = await startIdentityProvider([callback], { host: 'localhost' });
    provider.people.set('root', { groups: ['admins'], email: 'root@example.com' });
    provider.people.set('bob', { groups: [] });
    const document = {
      version: 1,
      issuer: provider.issuer,
      clientId: provider.client.id,
      clientSecret: { file: `${scene.data}/client.secret` },
      scopes: ['groups', 'email'],
      label: 'Sign in with Example',
      name: 'email',
      rules: [{ claims: { groups: 'admins' }, role: 'admin' }],
    };
    writeFileSync(document.clientSecret.file, provider.client.secret);
    writeFileSync(dataFolder(scene.data).oidc, JSON.stringify(document));
    await waitUntil('the plane has read the document', async () => {
      const { ways } = (await (await fetch(`${scene.url}/v1/signin`)).json()) as { ways: unknown[] };
      return ways.length === 2;
    });
  });
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]();
    await provider?.stop();
  });

  async function proveAs(page: Page, name: string): Promise<void> {
    await page.getByRole('link', { name: 'Sign in with Example' }).click();
    await page.getByLabel('Name').fill(name);
    await page.keyboard.press('Enter');
  }

  const issueKey = (page: Page) =>
    page.evaluate(
      `fetch('/v1/keys', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"x","role":"viewer"}' })
        .then(async (answer) => [answer.status, (await answer.json()).code])`,
    );

  test('shows the page that the person wanted, allows grave actions after a new sign-in, and ends the session when the key ends', async () => {
    await using browser = await scene.lookUnsigned();
    const { page, context } = browser;
    await page.goto('/decisions?tool=pay');
    await proveAs(page, 'root');
    await page.getByRole('heading', { name: 'Decisions' }).waitFor();
    expect(page.url()).toBe(`${scene.url}/decisions?tool=pay`);
    const cookies = (await context.cookies()).filter(({ name }) => name.startsWith('__Host-'));
    expect(cookies).toEqual([
      expect.objectContaining({ name: '__Host-mandate', httpOnly: true, secure: true, sameSite: 'Strict' }),
    ]);

    // The provider did not say when the person gave a proof, so that one does not count.
    expect(await issueKey(page)).toEqual([403, 'SIGN_IN_AGAIN']);
    await page.goto('/sign-in?again=true&back=/system');
    await proveAs(page, 'root');
    await page.getByRole('heading', { name: 'System' }).waitFor();
    expect(await issueKey(page)).toEqual([201, undefined]);

    const { keys } = await scene.api('admin').get<{ keys: { id: string; name: string }[] }>('/v1/keys');
    const own = keys.find(({ name }) => name === 'root@example.com');
    await scene.api('admin').delete(`/v1/keys/${own?.id}`);
    await page.goto('/agents');
    await page.getByLabel('API key').waitFor();
  });

  test('says why a person is not let in, without a fault of accessibility', async () => {
    await using browser = await scene.lookUnsigned();
    const { page } = browser;
    await page.goto('/sign-in?back=/agents');
    await proveAs(page, 'bob');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('SIGN_IN_NOT_ALLOWED: no rule lets you in');
    expect(new URL(page.url()).search).toBe('?problem=SIGN_IN_NOT_ALLOWED&back=%2Fagents');
    expect(await axeFaults(page)).toEqual([]);
  });

  test('shows an error from an address that an attacker wrote as plain text, and opens no other server', async () => {
    await using browser = await scene.lookUnsigned();
    const { page } = browser;
    const hostile = { problem: '<img src=x onerror=alert(1)>', back: '/\\evil.example/' };
    await page.goto(`/sign-in?${new URLSearchParams(hostile)}`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('SIGN_IN_INVALID');
    expect(await page.getByRole('link', { name: 'Sign in with Example' }).getAttribute('href')).toBe(
      '/v1/signin/oidc?back=%2F',
    );
  });
});
