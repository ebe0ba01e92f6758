package ops

import "net/netip"

// Public reports whether an address is one of the internet at large. All that
// leads back into a machine or its network is not: loopback, link-local,
// private, carrier-grade NAT, unique-local, multicast and unspecified addresses,
// and those that carry an IPv4 address inside an IPv6 one (mapped, compatible,
// NAT64, 6to4, Teredo), which could carry any of these. Reserved and
// documentation blocks are refused too; the lists are IANA's special-purpose
// address registries (RFC 6890).
func Public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	special := special4()
	if a.Is6() {
		// Only this block is given out to networks; the rest is special.
		if !netip.MustParsePrefix("2000::/3").Contains(a) {
			return false
		}
		special = special6()
	}
	for _, prefix := range special {
		if prefix.Contains(a) {
			return false
		}
	}
	return true
}

func special4() []netip.Prefix {
	return prefixes(
		"0.0.0.0/8",       // this network, unspecified
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // carrier-grade NAT
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, cloud metadata
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocol assignments
		"192.0.2.0/24",    // documentation
		"192.88.99.0/24",  // 6to4 relays
		"192.168.0.0/16",  // private
		"198.18.0.0/15",   // benchmarks
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, broadcast
	)
}

// special6 are the blocks within 2000::/3 that are not public.
func special6() []netip.Prefix {
	return prefixes(
		"2001::/23",     // protocol assignments, with Teredo
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4
		"3fff::/20",     // documentation
	)
}

func prefixes(list ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(list))
	for i, each := range list {
		parsed[i] = netip.MustParsePrefix(each)
	}
	return parsed
}
