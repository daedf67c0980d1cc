import { expect, test } from 'vitest';
import { signedHeaders } from './signature.ts';

test('signs the example of the Standard Webhooks specification', () => {
  // The test vector of the reference libraries of Standard Webhooks.
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const headers = signedHeaders(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', atMs: 1_614_265_330_000, body: '{"test": 2432232314}' },
    [key],
  );
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  expect(headers).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
  });
});

test('signs with both secrets while a receiver changes from one secret to the other', () => {
  const keys = [Buffer.alloc(24, 1), Buffer.alloc(24, 2)];
  const message = { id: 'alr_1', atMs: 1_000, body: '{}' };
  const signatures = signedHeaders(message, keys)['webhook-signature']?.split(' ');
  const apart = keys.map((key) => signedHeaders(message, [key])['webhook-signature']);
  expect(signatures).toEqual(apart);
  expect(new Set(apart).size).toBe(2);
});
