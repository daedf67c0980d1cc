import { describe, expect, test } from 'vitest';
import type { Held } from '../fair-room.ts';
import { type Caller, CallerRooms, callerWith, networkOf } from './caller-rooms.ts';

const held = (tenant: string, state: Held['state'] = 'busy'): Held => ({
  holder: { tenant, key: `key of ${tenant}` },
  state,
  cut: () => {},
});
/** Returns how many units of capacity these callers get. */
function placesOf(rooms: CallerRooms, kind: Caller['kind'], tenants: readonly string[]): number {
  let places = 0;
  while (rooms.take(kind, held(tenants[places % tenants.length] ?? ''), 1) !== null) places += 1;
  return places;
}
const many = Array.from({ length: 10 }, (_, n) => `tenant ${n}`);

test('keeps the capacity for each kind of caller free from other kinds', () => {
  const rooms = new CallerRooms(1_000);
  expect(placesOf(rooms, 'other', many)).toBe(700);
  expect(placesOf(rooms, 'stranger', many)).toBe(200);
  expect(placesOf(rooms, 'operator', many)).toBe(100);
  expect(rooms.amount).toBe(1_000);
});

test('lets a key that operates use the capacity for other keys too', () => {
  expect(placesOf(new CallerRooms(1_000), 'operator', many)).toBe(800);
});

test('gives a key a quarter of the capacity for its kind of caller', () => {
  expect(placesOf(new CallerRooms(1_000), 'other', ['acme'])).toBe(175);
});

test('gives one address all capacity for callers without a key, until another address comes', () => {
  const rooms = new CallerRooms(1_000);
  expect(placesOf(rooms, 'stranger', ['192.0.2.1'])).toBe(200);
  expect(placesOf(rooms, 'stranger', ['198.51.100.1'])).toBe(100);
});

test('uses all free capacity for a key that operates before it cuts anything of another key', () => {
  const rooms = new CallerRooms(100);
  const cut: string[] = [];
  for (const tenant of ['a', 'a', 'b', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'])
    rooms.take('operator', { ...held(tenant, 'idle'), cut: () => cut.push(tenant) }, 1);
  expect(cut).toEqual([]);
});

test('admits an address even if many other addresses without a key came before', () => {
  const rooms = new CallerRooms(100);
  let cut = 0;
  for (let n = 0; n < 1_000; n += 1)
    rooms.take('stranger', { ...held(`192.0.2.${n}`, 'idle'), cut: () => (cut += 1) }, 1);
  expect([rooms.amount, cut]).toEqual([20, 980]);
  expect(rooms.take('stranger', held('198.51.100.1', 'idle'), 1)).not.toBeNull();
});

describe('the caller for whom capacity counts', () => {
  const key = { id: 'k1', tenant: 'acme', scopes: ['publish'] as ('publish' | 'operate')[] };
  test.each<[string, Parameters<typeof callerWith>[0], Caller]>([
    ['a key', key, { holder: { tenant: 'acme', key: 'k1' }, kind: 'other' }],
    [
      'a key that operates',
      { ...key, scopes: ['publish', 'operate'] },
      { holder: { tenant: 'acme', key: 'k1' }, kind: 'operator' },
    ],
    ['a caller without a key', null, { holder: { tenant: '192.0.2.1', key: '192.0.2.1' }, kind: 'stranger' }],
  ])('%s', (_name, shown, expected) => {
    expect(callerWith(shown, '192.0.2.1')).toEqual(expected);
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
