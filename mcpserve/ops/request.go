package ops

// request is the object that an action takes, in Roam's own keys. What is left
// out is as Roam has it.
type request map[string]any

// withText adds a text that is not empty.
func (r request) withText(key, text string) request {
	if text != "" {
		r[key] = text
	}
	return r
}

// with adds a value that is not left out.
func with[T any](r request, key string, value *T) request {
	if value != nil {
		r[key] = *value
	}
	return r
}
