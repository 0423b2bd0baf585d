// An address names the server and no secret. A table of URLs with canaries.
import { databaseAddress } from './database-address.js';

it.each([
  ['postgres://user:canary@db.example:5433/books?sslmode=require', 'db.example:5433/books'],
  ['postgres://user:canary@db.example/books', 'db.example/books'],
  ['postgresql://db.example', 'db.example'],
  ['postgres:///books?host=/var/run/postgresql&password=canary', '/var/run/postgresql/books'],
  ['postgres://user:canary@[::1]:5432/books', '[::1]:5432/books'],
])('%s is %s', (url, address) => {
  expect(databaseAddress(url)).toBe(address);
});
