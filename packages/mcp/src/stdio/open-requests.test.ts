import { expect, test } from 'vitest';
import type { Request } from '../messages/read-message.ts';
import { OpenRequests } from './open-requests.ts';

function request(id: number): Request {
  return { kind: 'request', text: '', id: String(id), method: 'ping', params: { value: {}, members: [] } };
}

test('accepts new requests although the server never answers cancelled requests', () => {
  const open = new OpenRequests();
  for (let id = 0; id < 20_000; id += 1) {
    expect(open.faultOf(request(id))).toBeNull();
    open.add({ request: request(id), governed: null });
    open.giveUp(String(id));
  }
  expect(open.waiting()).toEqual([]);
  expect(open.get('0')).toBeUndefined();
  expect(open.get('19999')).toBeDefined();
});

test('refuses an id in use, and too many requests that the client waits for', () => {
  const open = new OpenRequests();
  for (let id = 0; id < 10_000; id += 1) open.add({ request: request(id), governed: null });
  expect(open.faultOf(request(7))).toContain('The id 7');
  expect(open.faultOf(request(10_000))).toContain('More than 10000');
  open.remove('7');
  expect(open.faultOf(request(10_000))).toBeNull();
});
