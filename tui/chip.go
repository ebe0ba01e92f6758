package tui

// chip returns what the header says of the server that this program runs, such as
// "serving :3939 · 2 clients · writes on", or "". It is styled, and left out where the
// window is too narrow for it.
func (r *root) chip() string { return r.env.serving.chip() }
