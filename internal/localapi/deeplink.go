package localapi

// DeepLink returns Roam's own link to the graph (LOCAL_API.md 1.10). Graph names need no
// escaping.
func (g Graph) DeepLink() string {
	switch {
	case !ValidGraphName(g.Name):
		return "roam://open"
	case g.Type == Offline:
		return "roam://#/offline/" + g.Name
	}
	return "roam://#/app/" + g.Name
}
