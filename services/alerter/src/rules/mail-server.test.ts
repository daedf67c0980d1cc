import { expect, test } from 'vitest';
import { mailServerOf } from './mail-server.ts';

test.each([
  ['smtps://mail.example.com', { port: 465, isEncrypted: true, mustEncrypt: false, login: null }],
  ['smtp://mail.example.com', { port: 587, isEncrypted: false, mustEncrypt: true }],
  ['smtp://mail.example.com:25/', { port: 25, mustEncrypt: true }],
  ['smtp://127.0.0.1:1025', { host: '127.0.0.1', mustEncrypt: false }],
  ['smtp://[::1]:1025', { host: '::1', mustEncrypt: false }],
  ['smtp://127.0.0.1.evil.example', { mustEncrypt: true }],
  ['smtps://ann%40b:p%3Ass@m.example', { host: 'm.example', login: { user: 'ann@b', password: 'p:ss' } }],
])('%s is a mail server', (text, server) => {
  expect(mailServerOf(text)).toMatchObject(server);
});

test.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://m.example/inbox',
  'smtp://m.example?tls=no',
  'smtp://ann@m.example',
  'smtp://ann:%zz@m.example',
  'smtp://m%0d%0a.example',
])('%s is not a mail server', (text) => {
  expect(mailServerOf(text)).toBe(null);
});
