package ops

import (
	"net/netip"
	"testing"
)

func TestOnlyAddressesOfThePublicInternetAreFetched(t *testing.T) {
	for address, want := range map[string]bool{
		// Public ones, at the edges of what is not.
		"1.1.1.1": true, "8.8.8.8": true, "9.255.255.255": true, "11.0.0.0": true, "100.63.255.255": true, "100.128.0.0": true,
		"126.255.255.255": true, "128.0.0.0": true, "169.253.255.255": true, "169.255.0.0": true, "172.15.255.255": true, "172.32.0.0": true,
		"192.0.1.0": true, "192.0.3.0": true, "192.167.255.255": true, "192.169.0.0": true, "198.17.255.255": true, "198.20.0.0": true,
		"223.255.255.255": true, "2606:4700:4700::1111": true, "2001:200::1": true, "2a00::1": true, "2003::": true, "3ffe::1": true,
		// This network, loopback, link-local.
		"0.0.0.0": false, "0.0.0.1": false, "127.0.0.1": false, "127.255.255.255": false, "::1": false,
		"169.254.0.0": false, "169.254.169.254": false, "169.254.255.255": false, "fe80::1": false, "febf::1": false,
		// Private, carrier-grade NAT, unique-local.
		"10.0.0.0": false, "10.255.255.255": false, "172.16.0.0": false, "172.31.255.255": false, "192.168.0.0": false, "192.168.255.255": false,
		"100.64.0.0": false, "100.127.255.255": false, "fc00::1": false, "fd00:ec2::254": false, "fdff:ffff::": false, "fec0::1": false,
		// Multicast, broadcast, reserved, unspecified.
		"224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false, "255.255.255.255": false, "ff02::1": false, "ff0e::1": false, "::": false,
		// Assignments, documentation, benchmarks.
		"192.0.0.0": false, "192.0.0.170": false, "192.0.2.1": false, "198.51.100.1": false, "203.0.113.1": false, "192.88.99.1": false,
		"198.18.0.0": false, "198.19.255.255": false, "2001:db8::1": false, "3fff::1": false, "2001:10::1": false, "2001:20::1": false, "100::1": false, "5f00::1": false,
		// IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
		"::ffff:127.0.0.1": false, "::ffff:8.8.8.8": false, "::127.0.0.1": false, "::ffff:0:127.0.0.1": false,
		"64:ff9b::127.0.0.1": false, "64:ff9b::8.8.8.8": false, "64:ff9b:1::10.0.0.1": false, "2002:7f00:1::": false, "2002:808:808::": false, "2001:0:7f00:1::": false,
		// A zone names an interface of this machine.
		"fe80::1%eth0": false, "2606:4700:4700::1111%eth0": false,
	} {
		if got := Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("Public(%s) is %v", address, got)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}

// FuzzPublic holds the lists against what the standard library knows of an
// address, in each form that could carry an IPv4 one.
func FuzzPublic(f *testing.F) {
	f.Add([]byte{127, 0, 0, 1})
	f.Add([]byte{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		special := a.IsLoopback() || a.IsPrivate() || a.IsMulticast() || a.IsLinkLocalUnicast() || a.IsUnspecified() || !a.IsGlobalUnicast()
		if Public(a) && special {
			t.Errorf("%s is public", a)
		}
		if !a.Is4() {
			return
		}
		four := a.As4()
		for _, prefix := range [][]byte{
			{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0},
		} {
			carrier, _ := netip.AddrFromSlice(append(prefix[:12:12], four[:]...))
			if Public(carrier) {
				t.Errorf("%s carries %s and is public", carrier, a)
			}
		}
	})
}
