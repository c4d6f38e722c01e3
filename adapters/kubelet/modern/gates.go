package modern

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"podsource/protocol"
)

// setGates sets feature gates and returns what sets them back.
func setGates(gates map[string]bool) (restore func(), err error) {
	feature := utilfeature.DefaultMutableFeatureGate
	if err := feature.DeepCopy().SetFromMap(gates); err != nil {
		return nil, protocol.Refused(err.Error(), false)
	}
	before := map[string]bool{}
	for name := range gates {
		before[name] = feature.Enabled(featuregate.Feature(name))
	}
	set := func(gates map[string]bool) {
		if err := feature.SetFromMap(gates); err != nil {
			panic(err)
		}
	}
	set(gates)
	return func() { set(before) }, nil
}
