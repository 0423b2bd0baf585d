// Addresses that one client can choose among count as one, those of different clients never do. Every notation of
// proxies yields the same address, and only named proxies are trusted.
import { clientNetwork, proxyTrust } from './client-network.js';

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['"192.0.2.7:4711"', '192.0.2.7'],
    ['[::ffff:192.0.2.7]:4711', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:4711', '2001:db8:1:2::/64'],
    ['"[2001:db8:1:2::1]:4711"', '2001:db8:1:2::/64'],
    ['[fe80::1%25eth0]:80', 'fe80:0:0:0::/64'],
    ['2001:DB8:1:2::A', '2001:db8:1:2::/64'],
    // Without brackets the last part is ambiguous, and belongs to the address.
    ['2001:db8::1:4711', '2001:db8:0:0::/64'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
    ['192.0.2.7:', 'unknown'],
    ['192.0.2.7:port', 'unknown'],
    ['192.0.2.256:80', 'unknown'],
    ['[192.0.2.7', 'unknown'],
    ['[]:80', 'unknown'],
    ['"', 'unknown'],
    ['_hidden', 'unknown'],
    ['for=192.0.2.7', 'unknown'],
    // Some readers take these for 1.2.3.4, 0.0.0.1 and 127.0.0.1.
    ['01.02.03.04', 'unknown'],
    ['1', 'unknown'],
    ['0x7f000001', 'unknown'],
  ])('counts %s as %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});

describe('proxyTrust', () => {
  const trusts = proxyTrust(['10.0.0.0/8', 'fd00::/8', '192.0.2.1/32', '::ffff:198.51.100.0/120']);

  it.each([
    ['10.1.2.3', true],
    ['10.1.2.3:4711', true],
    ['::ffff:10.1.2.3', true],
    ['[fd00::1]:4711', true],
    ['fd00::1%eth0', true],
    ['192.0.2.1', true],
    ['198.51.100.77', true],
    ['192.0.2.2', false],
    ['11.0.0.1:4711', false],
    ['fe00::1', false],
    ['198.51.101.1', false],
    ['10.1.2.3.4', false],
    ['10', false],
    ['', false],
  ])('of %s: %s', (address, isTrusted) => {
    expect(trusts(address)).toBe(isTrusted);
  });

  it('trusts no proxy where none is named', () => {
    expect(proxyTrust([])('127.0.0.1')).toBe(false);
  });
});
