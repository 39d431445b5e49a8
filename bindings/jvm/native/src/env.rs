//! JNI environment: the functions of the JNI table that this library calls, with Rust's types.
//!
//! Arrays are copied by region. A critical section would stop the garbage collector while a codec
//! runs, and loses data on JDK 25.0.0 to 25.0.2 with G1.

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::ptr::null_mut;

use jni_sys::{
    JNI_OK, JNIEnv, JNINativeMethod, jbyteArray, jclass, jfieldID, jint, jlong, jlongArray, jobject,
    jobjectArray, jvalue,
};

/// Longest piece of an array that is copied in one call. The garbage collector waits for a copy to
/// end.
const MAX_COPY: usize = 64 << 10;

/// An environment, as a native method receives it. Valid on its thread until the method returns.
#[derive(Clone, Copy)]
pub struct Env(*mut JNIEnv);

/// A native method: name, signature, address.
pub type Method = (&'static CStr, &'static CStr, *const c_void);

macro_rules! call {
    ($env:expr, $version:ident, $name:ident $(, $argument:expr)*) => {
        ((**$env.0).$version.$name)($env.0 $(, $argument)*)
    };
}

impl Env {
    /// Returns the environment of a native method.
    ///
    /// # Safety
    /// `env` is the pointer that the virtual machine passed to the running native method, and every
    /// reference that is passed to this value's functions is valid there.
    pub unsafe fn new(env: *mut JNIEnv) -> Self {
        Self(env)
    }

    /// Returns the class of this name (`org/pelton/Native`); `None` with an exception pending.
    pub fn find_class(self, name: &CStr) -> Option<jclass> {
        // SAFETY: valid by the condition of `new`; the name is a C string.
        let class = unsafe { call!(self, v1_1, FindClass, name.as_ptr()) };
        (!class.is_null()).then_some(class)
    }

    /// Defines a class for the boot class loader from its class file; `None`, mostly with an
    /// exception pending, if that fails.
    pub fn define_boot_class(self, class_file: &[u8]) -> Option<jclass> {
        let (address, len) = (class_file.as_ptr().cast(), class_file.len() as jint);
        // SAFETY: as in `find_class`; the bytes are valid for their length. Without a name and a
        // class loader both are the file's and the boot class loader's.
        let class = unsafe { call!(self, v1_1, DefineClass, std::ptr::null(), null_mut(), address, len) };
        (!class.is_null()).then_some(class)
    }

    /// Calls a static method without arguments that returns a string.
    pub fn call_static_string(self, class: jclass, name: &CStr) -> jobject {
        // SAFETY: as in `find_class`; the method has this signature, or is not found.
        unsafe {
            let signature = c"()Ljava/lang/String;";
            let method = call!(self, v1_1, GetStaticMethodID, class, name.as_ptr(), signature.as_ptr());
            match method.is_null() {
                true => null_mut(),
                false => call!(self, v1_1, CallStaticObjectMethodA, class, method, std::ptr::null()),
            }
        }
    }

    /// Binds native methods of a class. Returns whether all were bound.
    pub fn register(self, class: jclass, methods: &[Method]) -> bool {
        let table: Vec<JNINativeMethod> = methods
            .iter()
            .map(|&(name, signature, address)| JNINativeMethod {
                name: name.as_ptr().cast_mut(),
                signature: signature.as_ptr().cast_mut(),
                fnPtr: address.cast_mut(),
            })
            .collect();
        // SAFETY: as in `find_class`; names and signatures are C strings, and the functions have
        // these signatures.
        let code = unsafe { call!(self, v1_1, RegisterNatives, class, table.as_ptr(), table.len() as jint) };
        code == JNI_OK
    }

    /// Throws an exception of a class, unless one is pending.
    pub fn throw(self, class: &CStr, message: Option<&CStr>) {
        // SAFETY: as in `find_class`.
        unsafe {
            if call!(self, v1_2, ExceptionCheck) {
                return;
            }
            let class = call!(self, v1_1, FindClass, class.as_ptr());
            if !class.is_null() {
                let message = message.map_or(std::ptr::null(), CStr::as_ptr);
                call!(self, v1_1, ThrowNew, class, message);
            }
        }
    }

    /// Clears a pending exception.
    pub fn clear_exception(self) {
        // SAFETY: as in `find_class`.
        unsafe { call!(self, v1_1, ExceptionClear) }
    }

    /// Returns whether an exception is pending.
    pub fn has_exception(self) -> bool {
        // SAFETY: as in `find_class`.
        unsafe { call!(self, v1_2, ExceptionCheck) }
    }

    /// Returns the address of a direct buffer, or null.
    pub fn direct_address(self, buffer: jobject) -> *mut u8 {
        // SAFETY: as in `find_class`.
        unsafe { call!(self, v1_4, GetDirectBufferAddress, buffer) }.cast()
    }

    /// Copies from an array, from index `at`.
    pub fn read(self, array: jbyteArray, at: usize, to: &mut [u8]) {
        for (index, piece) in to.chunks_mut(MAX_COPY).enumerate() {
            let (at, len) = (at + index * MAX_COPY, piece.len());
            // SAFETY: as in `find_class`; the piece has room for `len` bytes. Indices outside the
            // array make an exception.
            unsafe {
                call!(
                    self,
                    v1_1,
                    GetByteArrayRegion,
                    array,
                    at as jint,
                    len as jint,
                    piece.as_mut_ptr().cast()
                );
            }
        }
    }

    /// Copies into an array, from index `at`.
    pub fn write(self, array: jbyteArray, at: usize, from: &[u8]) {
        for (index, piece) in from.chunks(MAX_COPY).enumerate() {
            let (at, len) = (at + index * MAX_COPY, piece.len());
            // SAFETY: as in `read`.
            unsafe {
                call!(self, v1_1, SetByteArrayRegion, array, at as jint, len as jint, piece.as_ptr().cast());
            }
        }
    }

    /// Copies a range of an array of longs.
    pub fn read_longs(self, array: jlongArray, range: Range<usize>, to: &mut [jlong]) {
        // SAFETY: as in `read`.
        unsafe {
            let (at, len) = (range.start as jint, range.len().min(to.len()) as jint);
            call!(self, v1_1, GetLongArrayRegion, array, at, len, to.as_mut_ptr());
        }
    }

    /// Sets elements of an array of longs.
    pub fn write_longs(self, array: jlongArray, at: usize, from: &[jlong]) {
        // SAFETY: as in `read`.
        unsafe { call!(self, v1_1, SetLongArrayRegion, array, at as jint, from.len() as jint, from.as_ptr()) }
    }

    /// Returns an element of an array of objects, as a local reference.
    pub fn element(self, array: jobjectArray, index: usize) -> jobject {
        // SAFETY: as in `read`.
        unsafe { call!(self, v1_1, GetObjectArrayElement, array, index as jint) }
    }

    /// Returns the length of an array of objects; 0 for null.
    pub fn length(self, array: jobjectArray) -> usize {
        if array.is_null() {
            return 0;
        }
        // SAFETY: as in `find_class`.
        usize::try_from(unsafe { call!(self, v1_1, GetArrayLength, array) }).unwrap_or(0)
    }

    /// Makes room for local references beside those that every native method may have. Returns
    /// whether there was memory.
    pub fn reserve_references(self, count: usize) -> bool {
        // SAFETY: as in `find_class`.
        unsafe { call!(self, v1_2, EnsureLocalCapacity, count as jint) == JNI_OK }
    }

    /// Deletes a local reference, of which a native method may have few.
    pub fn forget(self, object: jobject) {
        // SAFETY: as in `find_class`.
        unsafe { call!(self, v1_1, DeleteLocalRef, object) }
    }

    /// Returns a string's text; `None` for null, or if there is no memory.
    pub fn text(self, string: jobject) -> Option<String> {
        if string.is_null() {
            return None;
        }
        // SAFETY: as in `find_class`; the characters are released after they are copied.
        unsafe {
            let characters = call!(self, v1_1, GetStringUTFChars, string, null_mut());
            if characters.is_null() {
                return None;
            }
            let text = CStr::from_ptr(characters).to_string_lossy().into_owned();
            call!(self, v1_1, ReleaseStringUTFChars, string, characters);
            Some(text)
        }
    }

    /// Returns a system property; `None` if it is not set.
    pub fn system_property(self, name: &CStr) -> Option<String> {
        // SAFETY: as in `find_class`; `getProperty` takes and returns a string.
        let value = unsafe {
            let system = self.find_class(c"java/lang/System")?;
            let signature = c"(Ljava/lang/String;)Ljava/lang/String;";
            let method =
                call!(self, v1_1, GetStaticMethodID, system, c"getProperty".as_ptr(), signature.as_ptr());
            if method.is_null() {
                return None;
            }
            let arguments = [jvalue { l: self.string(name) }];
            let value = call!(self, v1_1, CallStaticObjectMethodA, system, method, arguments.as_ptr());
            if self.has_exception() {
                return None;
            }
            value
        };
        self.text(value)
    }

    /// Returns a new string of Java; null with an exception pending if there is no memory.
    pub fn string(self, text: &CStr) -> jobject {
        // SAFETY: as in `find_class`.
        unsafe { call!(self, v1_1, NewStringUTF, text.as_ptr()) }
    }

    /// Returns the value of a static field of type `int`; `None` with an exception pending if there
    /// is no such field.
    pub fn static_int(self, class: jclass, name: &CStr) -> Option<jint> {
        // SAFETY: as in `find_class`; the field is of this type.
        unsafe {
            let field = call!(self, v1_1, GetStaticFieldID, class, name.as_ptr(), c"I".as_ptr());
            (!field.is_null()).then(|| call!(self, v1_1, GetStaticIntField, class, field))
        }
    }

    /// Returns a field of type `int`; `None` with an exception pending if there is no such field.
    pub fn int_field(self, class: jclass, name: &CStr) -> Option<jfieldID> {
        // SAFETY: as in `find_class`.
        let field = unsafe { call!(self, v1_1, GetFieldID, class, name.as_ptr(), c"I".as_ptr()) };
        (!field.is_null()).then_some(field)
    }

    /// Sets a field of type `int`.
    ///
    /// # Safety
    /// `field` is a field of the class of `object`, and of that type.
    pub unsafe fn set_int(self, object: jobject, field: jfieldID, value: jint) {
        // SAFETY: as in `find_class`, and by this function's condition.
        unsafe { call!(self, v1_1, SetIntField, object, field, value) }
    }
}
